import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';

/** A button that copies a text, and says whether it has. */
export function Copy({ what, text }: { readonly what: string; readonly text: string }) {
  // Of which text it says so: what is to be copied can change meanwhile.
  const [copied, setCopied] = useState<{ readonly text: string; readonly isDone: boolean } | null>(null);
  const isCopied = copied?.text === text ? copied.isDone : null;
  // Where the page is not served by HTTPS, or a frame may not, there is no clipboard at all.
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
        {isCopied === false && `The ${what} could not be copied: select it above.`}
        {isCopied === true && `Copied the ${what}.`}
      </span>
    </>
  );
}
