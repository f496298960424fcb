import { copyText } from './copy-text.ts';
import { toast } from './toast.tsx';

export interface CopyButtonProps {
  /** The name of the text: `address`. */
  readonly what: string;
  readonly text: string;
}

/** A small button for tables and lines, where many texts can be copied. A toast says the result. */
export function CopyButton({ what, text }: CopyButtonProps) {
  const copy = async () => {
    if (await copyText(text)) toast(`Copied the ${what}.`, 'good');
    else toast(`The ${what} could not be copied. Select it.`, 'bad');
  };
  return (
    <button type="button" class="copy" aria-label={`Copy the ${what}`} onClick={() => void copy()}>
      Copy
    </button>
  );
}

export interface CopyableProps extends CopyButtonProps {
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

/** The beginning and the end of a long text. */
export function short(text: string): string {
  return text.length <= 20 ? text : `${text.slice(0, 10)}…${text.slice(-6)}`;
}
