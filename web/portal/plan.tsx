import { distinctNames } from '../../machines/rules/distinct-names.ts';
import type { PortalChange } from '../../src/portal/wire.ts';
import { inChosenLanguage } from '../i18n/page-language.ts';
import { say } from '../i18n/say.ts';
import { costOf, dateOf, recurringPrice } from '../pay/words.ts';
import { Button } from '../ui/button.tsx';
import type { Action } from '../ui/use-action.ts';
import type { ChangeProps } from './ending.tsx';
import { pathOf, post } from './portal-api.ts';

/** The prices that the payer may change to, or the change that waits for its day. */
export function Plan({ detail, isBusy, act, change }: ChangeProps & Pick<Action, 'act'>) {
  const { id, changes, waiting, ticker } = detail;
  if (changes.length === 0 && waiting === null) return null;
  const choose = async ({ priceId }: PortalChange) => {
    const { url } = await post<{ readonly url: string }>(`${pathOf(id)}/change`, { priceId });
    location.assign(inChosenLanguage(url));
  };
  const names = distinctNames(changes, nameOf, [({ price }) => recurringPrice(price)], (name, detail) =>
    say('checkout.name_with', { name, detail }),
  );
  return (
    <section class="stack" aria-labelledby="plan-title" data-part="plan">
      <h2 id="plan-title">{say('change.title')}</h2>
      {waiting !== null && (
        <>
          <p data-part="waiting">{waitingText(waiting)}</p>
          {waiting.label !== null && <p class="soft">{recurringPrice(waiting.price)}</p>}
          <div>
            <Button variant="primary" busy={isBusy} onClick={() => void change('/change/cancel')}>
              {say('change.take_back')}
            </Button>
          </div>
        </>
      )}
      {changes.length > 0 && <p class="soft">{say('change.text')}</p>}
      <ul class="plain-list">
        {changes.map((other, at) => (
          <li key={other.priceId} class="line stack-tight">
            <strong>{names[at]}</strong>
            {other.label !== null && <span>{recurringPrice(other.price)}</span>}
            <span>{costOf(other.quote, ticker)}</span>
            <div>
              <Button disabled={isBusy} onClick={() => void act(() => choose(other))}>
                {say('change.choose', { price: names[at] ?? '' })}
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function waitingText(change: PortalChange): string {
  const price = nameOf(change);
  const { at } = change.quote;
  return at === null ? say('change.waiting_now', { price }) : say('change.waiting', { price, date: dateOf(at) });
}

function nameOf({ label, price }: PortalChange): string {
  return label ?? recurringPrice(price);
}
