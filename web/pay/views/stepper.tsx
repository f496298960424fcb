import { useState } from 'preact/hooks';
import { say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';

export interface StepperProps {
  readonly units: { readonly min: number; readonly max: number };
  readonly quantity: number;
  readonly disabled: boolean;
  readonly onChoose: (quantity: number) => void;
}

/** A number of units: one more, one less, or typed. */
export function Stepper({ units: { min, max }, quantity, disabled, onChoose }: StepperProps) {
  // Typed text counts once it is a number within the limits.
  const [typed, setTyped] = useState<string | null>(null);
  const choose = (wanted: number) => {
    setTyped(null);
    onChoose(Math.min(Math.max(Math.round(wanted), min), max));
  };
  return (
    <span class="row stepper">
      <Button label={say('quantity.less')} disabled={disabled || quantity <= min} onClick={() => choose(quantity - 1)}>
        −
      </Button>
      <span class="field">
        <input
          inputMode="numeric"
          aria-label={say('quantity.title')}
          value={typed ?? String(quantity)}
          disabled={disabled}
          onInput={({ currentTarget: { value } }) => setTyped(value)}
          onChange={({ currentTarget: { value } }) => choose(/^\d{1,7}$/.test(value.trim()) ? Number(value) : quantity)}
        />
      </span>
      <Button label={say('quantity.more')} disabled={disabled || quantity >= max} onClick={() => choose(quantity + 1)}>
        +
      </Button>
    </span>
  );
}
