import type { ComponentChildren } from 'preact';

export interface RadioCardProps {
  readonly name: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  /** There is nothing to choose: it is shown without a button. */
  readonly isOnly?: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

/** One choice of several; the whole line is the button. */
export function RadioCard({ name, checked, disabled = false, isOnly = false, onChoose, children }: RadioCardProps) {
  if (isOnly) return <div class="choice choice-only">{children}</div>;
  return (
    <label class="choice">
      <input type="radio" name={name} checked={checked} disabled={disabled} onChange={onChoose} />
      {children}
    </label>
  );
}
