import type { ComponentChildren } from 'preact';

export interface RadioCardProps {
  readonly name: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

/** One choice of several; the whole line is the button. */
export function RadioCard({ name, checked, disabled = false, onChoose, children }: RadioCardProps) {
  return (
    <label class="choice">
      <input type="radio" name={name} checked={checked} disabled={disabled} onChange={onChoose} />
      {children}
    </label>
  );
}
