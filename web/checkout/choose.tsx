import type { AcceptedToken, Option } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { Conditions } from '../pay/views/conditions.tsx';
import { RadioCard } from '../pay/views/radio-card.tsx';
import { Stepper, type StepperProps } from '../pay/views/stepper.tsx';
import { atMost, conditionsOf, namesOf, priceOf } from '../pay/words.ts';
import { money } from '../ui/decimal.ts';
import { times } from '../ui/sum.ts';

export interface ChooseOptionProps {
  readonly options: readonly Option[];
  readonly chosen: string;
  readonly disabled: boolean;
  readonly onChoose: (priceId: string) => void;
}

/** The options of an offer; a single option is shown without a choice. */
export function ChooseOption({ options, chosen, disabled, onChoose }: ChooseOptionProps) {
  const names = namesOf(options);
  return (
    <fieldset class="stack-tight" disabled={disabled}>
      <legend>{say(options.length > 1 ? 'checkout.choose' : 'checkout.price')}</legend>
      {options.map((option, index) => (
        <RadioCard
          key={option.id}
          name="option"
          isOnly={options.length === 1}
          checked={option.id === chosen}
          onChoose={() => onChoose(option.id)}
        >
          <Terms option={option} name={names[index] ?? ''} />
        </RadioCard>
      ))}
    </fieldset>
  );
}

function Terms({ option, name }: { readonly option: Option; readonly name: string }) {
  const isNamed = conditionsOf(option).every((condition) => name.includes(condition));
  return (
    <span class="spread">
      <span data-part="price-name">{name}</span>
      <strong class="number">{priceOf(option)}</strong>
      {!isNamed && <Conditions of={option} />}
    </span>
  );
}

export interface ChooseTokenProps {
  readonly tokens: readonly AcceptedToken[];
  /** The units that are paid; 1 for a fixed price. */
  readonly quantity: number;
  /** The amounts are the most of a charge. */
  readonly isMost: boolean;
  readonly chosen: string;
  readonly disabled: boolean;
  readonly onChoose: (tokenKey: string) => void;
}

/** The tokens for payment, without a choice if there is one; one that is not available now is shown as such. */
export function ChooseToken({ tokens, quantity, isMost, chosen, disabled, onChoose }: ChooseTokenProps) {
  const textOf = ({ amount, ticker }: AcceptedToken) =>
    isMost ? atMost({ capAmount: amount, currency: ticker }) : money(times(amount, quantity), ticker);
  return (
    <fieldset class="stack-tight" disabled={disabled}>
      <legend>{say('checkout.pay_with')}</legend>
      {tokens.map((token) => (
        <RadioCard
          key={token.tokenKey}
          name="token"
          isOnly={tokens.length === 1}
          disabled={!token.enabled}
          checked={token.tokenKey === chosen}
          onChoose={() => onChoose(token.tokenKey)}
        >
          <span class="spread">
            <span>{say('common.token_on_network', { ticker: token.ticker, network: token.chainLabel })}</span>
            {token.enabled ? (
              <strong class="number">{textOf(token)}</strong>
            ) : (
              <span class="small">{say('checkout.token_not_available')}</span>
            )}
          </span>
        </RadioCard>
      ))}
    </fieldset>
  );
}

/** The number of units that the payer wants, and what they cost together. */
export function ChooseQuantity({ option, ...props }: StepperProps & { readonly option: Option }) {
  const total = priceOf({ ...option, amount: times(option.amount, props.quantity), units: null });
  return (
    <fieldset class="stack-tight" disabled={props.disabled} data-part="quantity">
      <legend>{say('quantity.title')}</legend>
      <span class="spread">
        <Stepper {...props} />
        <strong class="number" data-part="quantity-total">
          {total}
        </strong>
      </span>
      <span class="small soft">{say('quantity.limits', props.units)}</span>
    </fieldset>
  );
}
