import { copyText } from './copy-text.ts';
import { toast } from './notice.tsx';

/** A small sign for tables and lines, where many texts can be copied. A toast says the result. `what`: `address`. */
export function CopyButton({ what, text }: { readonly what: string; readonly text: string }) {
  const copy = async () => {
    if (await copyText(text)) toast(`Copied the ${what}.`, 'good');
    else toast(`The ${what} could not be copied. Select it.`, 'bad');
  };
  return (
    <button
      type="button"
      class="copy-button"
      title={`Copy the ${what}`}
      aria-label={`Copy the ${what}`}
      onClick={() => void copy()}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M6 5V2h8v9h-3M2 5h9v9H2z" />
      </svg>
    </button>
  );
}

export interface CopyableProps {
  /** The name of the text; absent: the text itself, shortened. */
  readonly what?: string;
  readonly text: string;
  /** Shows only its beginning and its end. */
  readonly isShort?: boolean;
  /** A page about it; another site opens beside this one. */
  readonly href?: string | undefined;
}

/** An id, an address or a hash, to be read or copied. */
export function Copyable({ text, what = short(text), isShort = false, href }: CopyableProps) {
  const code = <code title={isShort ? text : undefined}>{isShort ? short(text) : text}</code>;
  const isOutside = href !== undefined && /^https?:/.test(href);
  return (
    <span class="copyable">
      {href === undefined ? (
        code
      ) : (
        <a href={href} {...(isOutside ? { target: '_blank', rel: 'noreferrer noopener' } : {})}>
          {code}
        </a>
      )}
      <CopyButton what={what} text={text} />
    </span>
  );
}

/** The beginning and the end of a long text. */
export function short(text: string): string {
  return text.length <= 20 ? text : `${text.slice(0, 10)}…${text.slice(-6)}`;
}
