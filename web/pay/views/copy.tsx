import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';

/** A button that copies a text, and shows the result. */
export function Copy({ what, text }: { readonly what: string; readonly text: string }) {
  // The text that was copied, because the present text may change.
  const [copied, setCopied] = useState<{ readonly text: string; readonly isDone: boolean } | null>(null);
  const isCopied = copied?.text === text ? copied.isDone : null;
  // Without HTTPS, or in a restricted frame, the clipboard does not exist.
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied({ text, isDone: true });
    } catch {
      setCopied({ text, isDone: false });
    }
  };
  return (
    <>
      <Button size="small" onClick={() => void copy()}>
        Copy the {what}
      </Button>
      <span class="small" role="status">
        {isCopied === false && `The ${what} could not be copied. Select it above.`}
        {isCopied === true && `Copied the ${what}.`}
      </span>
    </>
  );
}
