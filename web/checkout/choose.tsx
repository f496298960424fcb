import type { AcceptedToken, Option } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { RadioCard } from '../pay/views/radio-card.tsx';
import { conditionsOf, priceOf } from '../pay/words.ts';
import { money } from '../ui/decimal.ts';

export interface ChooseOptionProps {
  readonly options: readonly Option[];
  readonly chosen: string;
  readonly disabled: boolean;
  readonly onChoose: (priceId: string) => void;
}

/** The options of an offer; a single option is shown without a choice. */
export function ChooseOption({ options, chosen, disabled, onChoose }: ChooseOptionProps) {
  return (
    <fieldset class="stack-tight" disabled={disabled}>
      <legend>{say(options.length > 1 ? 'checkout.choose' : 'checkout.price')}</legend>
      {options.map((option) => (
        <RadioCard key={option.id} name="option" checked={option.id === chosen} onChoose={() => onChoose(option.id)}>
          <span class="spread">
            <span>
              {option.label ?? say(option.billing.type === 'one_time' ? 'checkout.once' : 'checkout.subscription')}
            </span>
            <strong class="number">{priceOf(option)}</strong>
            {conditionsOf(option) !== '' && <span class="small soft">{conditionsOf(option)}</span>}
          </span>
        </RadioCard>
      ))}
    </fieldset>
  );
}

export interface ChooseTokenProps {
  readonly tokens: readonly AcceptedToken[];
  readonly chosen: string;
  readonly disabled: boolean;
  readonly onChoose: (tokenKey: string) => void;
}

/** The tokens for payment; a token that is not available now is shown as such. */
export function ChooseToken({ tokens, chosen, disabled, onChoose }: ChooseTokenProps) {
  return (
    <fieldset class="stack-tight" disabled={disabled}>
      <legend>{say('checkout.pay_with')}</legend>
      {tokens.map((token) => (
        <RadioCard
          key={token.tokenKey}
          name="token"
          disabled={!token.enabled}
          checked={token.tokenKey === chosen}
          onChoose={() => onChoose(token.tokenKey)}
        >
          <span class="spread">
            <span>{say('common.token_on_network', { ticker: token.ticker, network: token.chainLabel })}</span>
            {token.enabled ? (
              <strong class="number">{money(token.amount, token.ticker)}</strong>
            ) : (
              <span class="small">{say('checkout.token_not_available')}</span>
            )}
          </span>
        </RadioCard>
      ))}
    </fieldset>
  );
}
