import { CopyButton } from '../../ui/copy-button.tsx';
import { short } from './words.ts';

export interface CopyableProps {
  /** The name of the text: `id`. */
  readonly what: string;
  readonly text: string;
  /** Shows only its beginning and its end. */
  readonly isShort?: boolean;
}

/** An id, an address or a hash, to be read or copied. */
export function Copyable({ what, text, isShort = false }: CopyableProps) {
  return (
    <span class="copyable">
      <code title={isShort ? text : undefined}>{isShort ? short(text) : text}</code>{' '}
      <CopyButton what={what} text={text} />
    </span>
  );
}
