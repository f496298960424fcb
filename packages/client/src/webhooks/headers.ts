import { WebhookVerificationError } from './verification-error.ts';

/** The headers of every delivery (reference, section 6: Signature). */
export const TIMESTAMP_HEADER = 'X-Service-Timestamp';
export const SIGNATURE_HEADER = 'X-Service-Signature';

/** A further header during a rotation with overlap: the signature of the previous secret (docs/rules.md, "Webhooks"). */
export const PREVIOUS_SIGNATURE_HEADER = 'X-Service-Signature-Previous';

/** The headers of Standard Webhooks, which every delivery has too (docs/rules.md, "Webhooks"). */
export const STANDARD_ID_HEADER = 'webhook-id';
export const STANDARD_TIMESTAMP_HEADER = 'webhook-timestamp';
export const STANDARD_SIGNATURE_HEADER = 'webhook-signature';

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
  /** Of Standard Webhooks: it is signed too. null: the headers are those of the service. */
  readonly messageId: string | null;
}

const TIMESTAMP = /^\d{1,12}$/;
const SIGNATURE = /^[0-9a-f]{64}$/i;
const MESSAGE_ID = /^[\w-]{1,100}$/;
/** Up to ten signatures of any version, and at least one of version 1. */
const STANDARD_SIGNATURES = /^(?=(.* )?v1,)(v\w{1,4},[\w+/=-]{1,200})( v\w{1,4},[\w+/=-]{1,200}){0,9}$/;
const DIGEST_BYTES = 32;

/**
 * The service's headers or, if a request has none of them, those of Standard Webhooks. Throws a WebhookVerificationError for a
 * header that is missing, repeated or malformed.
 */
export function readSignedHeaders(headers: WebhookHeaders): SignedHeaders {
  const isStandard = !has(headers, SIGNATURE_HEADER) && has(headers, STANDARD_SIGNATURE_HEADER);
  return isStandard ? readStandardHeaders(headers) : readServiceHeaders(headers);
}

function readServiceHeaders(headers: WebhookHeaders): SignedHeaders {
  const timestamp = required(headers, TIMESTAMP_HEADER, TIMESTAMP, 'Unix seconds');
  const signature = required(headers, SIGNATURE_HEADER, SIGNATURE, '64 hexadecimal digits');
  const previous = optional(headers, PREVIOUS_SIGNATURE_HEADER, SIGNATURE, '64 hexadecimal digits');
  const signatures = [signature, ...(previous === null ? [] : [previous])];
  return { timestamp, signatures: signatures.map((hex) => Buffer.from(hex, 'hex')), messageId: null };
}

function readStandardHeaders(headers: WebhookHeaders): SignedHeaders {
  const messageId = required(headers, STANDARD_ID_HEADER, MESSAGE_ID, 'the id of an event');
  const timestamp = required(headers, STANDARD_TIMESTAMP_HEADER, TIMESTAMP, 'Unix seconds');
  const given = required(headers, STANDARD_SIGNATURE_HEADER, STANDARD_SIGNATURES, 'v1, and base64');
  const ofVersion1 = given.split(' ').flatMap((each) => (each.startsWith('v1,') ? [each.slice('v1,'.length)] : []));
  const signatures = ofVersion1.map((base64) => Buffer.from(base64, 'base64'));
  return { messageId, timestamp, signatures: signatures.filter(({ length }) => length === DIGEST_BYTES) };
}

function has(headers: WebhookHeaders, name: string): boolean {
  const value = given(headers, name);
  return value !== null && value !== undefined;
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
