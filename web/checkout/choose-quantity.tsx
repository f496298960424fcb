import type { Option } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { times } from '../pay/amounts.ts';
import { Stepper, type StepperProps } from '../pay/views/stepper.tsx';
import { priceOf } from '../pay/words.ts';

export interface ChooseQuantityProps extends StepperProps {
  readonly option: Option;
}

/** The number of units that the payer wants, and what they cost together. */
export function ChooseQuantity({ option, ...props }: ChooseQuantityProps) {
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
