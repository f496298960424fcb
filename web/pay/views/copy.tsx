import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';

/** A button that copies a text, and shows the result. */
export function Copy({ what, text }: { readonly what: string; readonly text: string }) {
  // The text that was copied, because the present text may change.
  const [copied, setCopied] = useState<{ readonly text: string; readonly isDone: boolean } | null>(null);
  const isCopied = copied?.text === text ? copied.isDone : null;
  const copy = async () => setCopied({ text, isDone: await copyText(text) });
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
