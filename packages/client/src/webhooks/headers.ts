import { bytesOfBase64, bytesOfHex } from './bytes.ts';
import { WebhookVerificationError } from './verification-error.ts';

/** The headers of every delivery (reference, section 6: Signature). */
export const TIMESTAMP_HEADER = 'X-Service-Timestamp';
export const SIGNATURE_HEADER = 'X-Service-Signature';

/** Another header during a rotation with overlap: the signature of the previous secret (docs/rules.md, "Webhooks"). */
export const PREVIOUS_SIGNATURE_HEADER = 'X-Service-Signature-Previous';

/** The same two of the secret of the event's mode, if there is one. */
export const MODE_SIGNATURE_HEADERS = ['X-Service-Signature-Mode', 'X-Service-Signature-Mode-Previous'] as const;

/** The headers of the Standard Webhooks specification. */
export const STANDARD_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  /** One signature or more, with spaces in between. */
  signature: 'webhook-signature',
} as const;

/**
 * The headers of a request: a `Headers` of fetch, or an object with names in any case, such as `request.headers` of
 * Node and Express.
 */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** Signatures and time of signing, well-formed but not verified. */
export interface SignedHeaders {
  /** The signed id of the Standard Webhooks form; null: the service's own form. */
  readonly standardId: string | null;
  /** Unix seconds, in the signed digits. */
  readonly timestamp: string;
  /** 32 bytes each. */
  readonly signatures: readonly Uint8Array[];
}

interface Form {
  readonly pattern: RegExp;
  readonly expected: string;
}

const SECONDS: Form = { pattern: /^\d{1,12}$/, expected: 'Unix seconds' };
const HEX: Form = { pattern: /^[0-9a-f]{64}$/i, expected: '64 hexadecimal digits' };
const ID: Form = { pattern: /^[\x21-\x7e]{1,256}$/, expected: 'the id of the event' };
/** Signatures of any version, and at least one of version 1. */
const LIST: Form = { pattern: /^(?=(?:.* )?v1,)[\x20-\x7e]{1,2048}$/, expected: 'v1, and base64 of 32 bytes' };

/**
 * Reads the service's own headers. If they have no signature, reads those of the Standard Webhooks specification.
 * Throws a WebhookVerificationError for a header that is missing, repeated or malformed.
 */
export function readSignedHeaders(headers: WebhookHeaders): SignedHeaders {
  const isStandard = !has(headers, SIGNATURE_HEADER) && has(headers, STANDARD_HEADERS.signature);
  return isStandard ? readStandardHeaders(headers) : readServiceHeaders(headers);
}

function readServiceHeaders(headers: WebhookHeaders): SignedHeaders {
  const timestamp = required(headers, TIMESTAMP_HEADER, SECONDS);
  const signature = required(headers, SIGNATURE_HEADER, HEX);
  const others = [PREVIOUS_SIGNATURE_HEADER, ...MODE_SIGNATURE_HEADERS]
    .map((name) => optional(headers, name, HEX))
    .filter((given) => given !== null);
  return { standardId: null, timestamp, signatures: [signature, ...others].map(bytesOfHex) };
}

function readStandardHeaders(headers: WebhookHeaders): SignedHeaders {
  const standardId = required(headers, STANDARD_HEADERS.id, ID);
  const timestamp = required(headers, STANDARD_HEADERS.timestamp, SECONDS);
  const signatures = required(headers, STANDARD_HEADERS.signature, LIST).split(' ').flatMap(signatureOfVersion1);
  return { standardId, timestamp, signatures };
}

const VERSION_1 = /^v1,([A-Za-z0-9+/]{43}=)$/;

/** Empty for another version, which the specification says to pass over, and for one that fits no key. */
function signatureOfVersion1(text: string): Uint8Array[] {
  const bytes = bytesOfBase64(VERSION_1.exec(text)?.[1] ?? '');
  return bytes?.length === 32 ? [bytes] : [];
}

function required(headers: WebhookHeaders, name: string, form: Form): string {
  const value = optional(headers, name, form);
  if (value !== null) return value;
  throw new WebhookVerificationError('header_missing', `${name} is missing: expected ${form.expected}`);
}

function optional(headers: WebhookHeaders, name: string, { pattern, expected }: Form): string | null {
  const value = given(headers, name);
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw new WebhookVerificationError('header_malformed', `${name} is not as expected: once, ${expected}`);
}

function has(headers: WebhookHeaders, name: string): boolean {
  const value = given(headers, name);
  return value !== null && value !== undefined;
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
