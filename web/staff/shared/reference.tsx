import { Copyable } from '../../ui/copy-button.tsx';
import { hrefOfId } from '../route.ts';

/** An id, an address or a transaction: short, as a link to what it names, and all of it to copy. */
export function Reference({ text }: { readonly text: string }) {
  return <Copyable text={text} isShort href={hrefOfId(text)} />;
}

/** Ids that have a page, and addresses and transactions of EVM chains and of Solana. */
const REFERENCES =
  /\b((?:sub|pay|cust|offer|mrc|dlv|evt)_[0-9a-z]{26}|0x(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{40})|[1-9A-HJ-NP-Za-km-z]{32,88})\b/;

/** A sentence of the service, with a link for whatever it names. */
export function Sentence({ text }: { readonly text: string }) {
  // The expression has one group, so that every second part is a reference.
  return <>{text.split(REFERENCES).map((part, at) => (at % 2 === 0 ? part : <Reference key={part} text={part} />))}</>;
}
