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
