import { randomBytes } from 'node:crypto';
import { types } from 'node:util';
import { digestOf } from './digest.ts';
import type { TestEvent, WebhookEvent } from './event.ts';
import { PREVIOUS_SIGNATURE_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from './headers.ts';

export interface SignOptions {
  /** When it is signed: a date, or Unix seconds. Now unless it is given. */
  readonly timestamp?: Date | number;
  /** Signs with this one too, as deliveries are while a rotation with overlap lasts. */
  readonly previousSecret?: string;
}

/** What a delivery consists of: send both, or hand both to `verifyWebhook`. */
export interface SignedWebhook<Body extends string | Uint8Array> {
  readonly body: Body;
  readonly headers: { readonly [name: string]: string };
}

/**
 * A delivery as the service would make it, for tests of an endpoint.
 *
 * @param event `event` and `data`; what is left out of the envelope is filled in as for a first event of the sandbox. Or a
 *   body, which is signed as it stands.
 * @param secret the one that the endpoint verifies with
 */
export function signTestWebhook(event: TestEvent, secret: string, options?: SignOptions): SignedWebhook<string>;
export function signTestWebhook<Body extends string | Uint8Array>(
  rawBody: Body,
  secret: string,
  options?: SignOptions,
): SignedWebhook<Body>;
export function signTestWebhook(
  given: TestEvent | string | Uint8Array,
  secret: string,
  { timestamp = new Date(), previousSecret }: SignOptions = {},
): SignedWebhook<string | Uint8Array> {
  const isRaw = typeof given === 'string' || types.isUint8Array(given);
  const body = isRaw ? given : JSON.stringify(envelopeOf(given));
  const seconds = String(Math.floor(typeof timestamp === 'number' ? timestamp : timestamp.getTime() / 1_000));
  const signedWith = (key: string): string => digestOf(key, seconds, body).toString('hex');
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      [TIMESTAMP_HEADER]: seconds,
      [SIGNATURE_HEADER]: signedWith(secret),
      ...(previousSecret === undefined ? {} : { [PREVIOUS_SIGNATURE_HEADER]: signedWith(previousSecret) }),
    },
  };
}

function envelopeOf(event: TestEvent): WebhookEvent {
  return {
    id: newEventId(),
    createdAt: new Date().toISOString(),
    isSandbox: true,
    sequence: 1,
    ...event,
  };
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** `evt_` and 26 digits, as the service's are; random throughout. */
function newEventId(): string {
  return `evt_${[...randomBytes(26)].map((byte) => DIGITS[byte % DIGITS.length]).join('')}`;
}
