import type { EmbedMessage } from '../pay/embedding.ts';

/** null: the message is not from the checkout. */
export function messageIn(data: unknown): EmbedMessage | null {
  if (typeof data !== 'object' || data === null || !('source' in data) || data.source !== 'tideline') return null;
  const fields: { readonly [key: string]: unknown } = { ...data };
  switch (fields['type']) {
    case 'ready':
    case 'closed':
      return { type: fields['type'] };
    case 'completed':
      return {
        type: 'completed',
        kind: String(fields['kind']),
        subscriptionId: textIn(fields['subscriptionId']),
        paymentId: textIn(fields['paymentId']),
      };
    default:
      return null;
  }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
