import type { AcceptedToken, Option } from '../../src/checkout/wire.ts';
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
      <legend>{options.length > 1 ? 'Choose' : 'Price'}</legend>
      {options.map((option) => (
        <RadioCard key={option.id} name="option" checked={option.id === chosen} onChoose={() => onChoose(option.id)}>
          <span class="spread">
            <span>{option.label ?? (option.billing.type === 'one_time' ? 'Once' : 'Subscription')}</span>
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
      <legend>Pay with</legend>
      {tokens.map((token) => (
        <RadioCard
          key={token.tokenKey}
          name="token"
          disabled={!token.enabled}
          checked={token.tokenKey === chosen}
          onChoose={() => onChoose(token.tokenKey)}
        >
          <span class="spread">
            <span>
              {token.ticker} on {token.chainLabel}
            </span>
            {token.enabled ? (
              <strong class="number">{money(token.amount, token.ticker)}</strong>
            ) : (
              <span class="small">not available at the moment</span>
            )}
          </span>
        </RadioCard>
      ))}
    </fieldset>
  );
}
