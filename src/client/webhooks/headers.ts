import { WebhookVerificationError } from './verification-error.ts';

/** The headers of every delivery (reference, section 6: Signature). */
export const TIMESTAMP_HEADER = 'X-Service-Timestamp';
export const SIGNATURE_HEADER = 'X-Service-Signature';

/** A further header during a rotation with overlap: the signature of the previous secret (docs/rules.md, "Webhooks"). */
export const PREVIOUS_SIGNATURE_HEADER = 'X-Service-Signature-Previous';

/**
 * The headers of a request: a `Headers` of fetch, or an object with names in any case, such as `request.headers` of Node and
 * Express.
 */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** Signatures and time of signing, well-formed but not verified. */
export interface SignedHeaders {
  /** Unix seconds, in the signed digits. */
  readonly timestamp: string;
  /** 32 bytes each, the current one first. */
  readonly signatures: readonly Uint8Array[];
}

const TIMESTAMP = /^\d{1,12}$/;
const SIGNATURE = /^[0-9a-f]{64}$/i;

/** Throws a WebhookVerificationError for a header that is missing, repeated or malformed. */
export function readSignedHeaders(headers: WebhookHeaders): SignedHeaders {
  const timestamp = required(headers, TIMESTAMP_HEADER, TIMESTAMP, 'Unix seconds');
  const signature = required(headers, SIGNATURE_HEADER, SIGNATURE, '64 hexadecimal digits');
  const previous = optional(headers, PREVIOUS_SIGNATURE_HEADER, SIGNATURE, '64 hexadecimal digits');
  const signatures = [signature, ...(previous === null ? [] : [previous])];
  return { timestamp, signatures: signatures.map((hex) => Buffer.from(hex, 'hex')) };
}

function required(headers: WebhookHeaders, name: string, form: RegExp, expected: string): string {
  const value = optional(headers, name, form, expected);
  if (value !== null) return value;
  throw new WebhookVerificationError('header_missing', `${name} is missing: expected ${expected}`);
}

function optional(headers: WebhookHeaders, name: string, form: RegExp, expected: string): string | null {
  const value = given(headers, name);
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && form.test(value)) return value;
  throw new WebhookVerificationError('header_malformed', `${name} is not as expected: once, ${expected}`);
}

/** Unchecked values of any type, as received. Two values under one name are a list. */
function given(headers: WebhookHeaders, name: string): unknown {
  try {
    if (typeof headers.get === 'function') return headers.get(name);
    const wanted = name.toLowerCase();
    const found = Object.entries(headers).filter(([each]) => each.toLowerCase() === wanted);
    return found.length > 1 ? found : found[0]?.[1];
  } catch {
    throw new WebhookVerificationError('header_malformed', `${name} cannot be read: expected the headers of a request`);
  }
}
