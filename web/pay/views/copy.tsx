import { useState } from 'preact/hooks';
import { say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';

interface CopyProps {
  readonly what: 'address' | 'amount' | 'link';
  readonly text: string;
  readonly onCopied?: () => void;
}

/** A button that copies a text, and shows the result. A link that cannot be copied is shown. */
export function Copy({ what, text, onCopied }: CopyProps) {
  // The text that was copied, because the present text may change.
  const [copied, setCopied] = useState<{ readonly text: string; readonly isDone: boolean } | null>(null);
  const isCopied = copied?.text === text ? copied.isDone : null;
  const copy = async () => {
    setCopied({ text, isDone: await copyText(text) });
    onCopied?.();
  };
  return (
    <>
      <Button size="small" onClick={() => void copy()}>
        {say(`copy.${what}`)}
      </Button>
      <span class="small" role="status">
        {isCopied !== null && say(isCopied ? `copy.${what}_done` : `copy.${what}_failed`)}
      </span>
      {isCopied === false && what === 'link' && <code class="exact">{text}</code>}
    </>
  );
}
