import type { ComponentChildren } from 'preact';

export interface RadioCardProps {
  readonly name: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

/** One of several, as a line that is the button as a whole. */
export function RadioCard({ name, checked, disabled = false, onChoose, children }: RadioCardProps) {
  return (
    <label class="choice">
      <input type="radio" name={name} checked={checked} disabled={disabled} onChange={onChoose} />
      {children}
    </label>
  );
}
