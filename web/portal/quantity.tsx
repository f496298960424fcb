import { useState } from 'preact/hooks';
import { say } from '../i18n/say.ts';
import { Stepper } from '../pay/views/stepper.tsx';
import { dateOf } from '../pay/words.ts';
import { Button } from '../ui/button.tsx';
import { money } from '../ui/decimal.ts';
import { Notice } from '../ui/notice.tsx';
import { times } from '../ui/sum.ts';
import type { ChangeProps } from './ending.tsx';

/** The number of units, where the price lets its payer change it. */
export function Quantity({ detail, isBusy, change }: ChangeProps) {
  const { status, price, nextCharge, chain, canSetQuantity } = detail;
  const { units } = price;
  const [wanted, setWanted] = useState<number | null>(null);
  if (units === null || units.changedBy !== 'customer' || status === 'canceled') return null;
  const quantity = wanted ?? units.quantity;
  const amountOf = (count: number) => money(times(price.amount, count), price.currency);
  const at = nextCharge?.at ?? null;
  const isShort = status !== 'pending' && chain !== null && BigInt(chain.missingAllowanceBaseUnits) > 0n;
  return (
    <section class="stack" aria-labelledby="quantity-title" data-part="quantity">
      <h2 id="quantity-title">{say('quantity.title')}</h2>
      {!canSetQuantity && <p class="soft">{say('quantity.later')}</p>}
      {canSetQuantity && (
        <>
          <div class="row">
            <Stepper {...{ units, quantity }} disabled={isBusy} onChoose={setWanted} />
            <Button
              busy={isBusy}
              disabled={quantity === units.quantity}
              onClick={() => void change('/quantity', { quantity })}
            >
              {say('quantity.change')}
            </Button>
          </div>
          {quantity !== units.quantity && (
            <p data-part="quantity-effect">
              {say(at === null ? 'quantity.from_next' : 'quantity.from_date', {
                before: amountOf(units.quantity),
                after: amountOf(quantity),
                ...(at === null ? {} : { date: dateOf(at) }),
              })}
            </p>
          )}
          <p class="small soft">{say('quantity.limits', units)}</p>
        </>
      )}
      {isShort && (
        <Notice tone="warn" title={say('purchase.approval_small')}>
          <p>{say('quantity.short_text', { amount: amountOf(units.quantity) })}</p>
        </Notice>
      )}
    </section>
  );
}
