import { randomBytes } from 'node:crypto';
import { types } from 'node:util';
import { digestOf, standardDigestOf } from './digest.ts';
import { parseEvent, type TestEvent, type WebhookEvent } from './event.ts';
import {
  PREVIOUS_SIGNATURE_HEADER,
  SIGNATURE_HEADER,
  STANDARD_ID_HEADER,
  STANDARD_SIGNATURE_HEADER,
  STANDARD_TIMESTAMP_HEADER,
  TIMESTAMP_HEADER,
} from './headers.ts';

export interface SignOptions {
  /** The time of signing: a date, or Unix seconds; default: now. */
  readonly timestamp?: Date | number;
  /** Signs with this secret too, like deliveries during a rotation with overlap. */
  readonly previousSecret?: string;
}

/** A delivery: send both parts, or pass both to `verifyWebhook`. */
export interface SignedWebhook<Body extends string | Uint8Array> {
  readonly body: Body;
  readonly headers: { readonly [name: string]: string };
}

/**
 * A delivery as the service would make it, for tests of an endpoint.
 *
 * @param event `event` and `data`; missing fields of the envelope are filled in as for a first event of the sandbox. Or a
 * body, which is signed unchanged.
 * @param secret the one with which the endpoint verifies
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
  const id = idIn(body) ?? newEventId();
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  const standard = secrets.map((key) => `v1,${standardDigestOf(key, id, seconds, body).toString('base64')}`);
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      [TIMESTAMP_HEADER]: seconds,
      [SIGNATURE_HEADER]: signedWith(secret),
      ...(previousSecret === undefined ? {} : { [PREVIOUS_SIGNATURE_HEADER]: signedWith(previousSecret) }),
      [STANDARD_ID_HEADER]: id,
      [STANDARD_TIMESTAMP_HEADER]: seconds,
      [STANDARD_SIGNATURE_HEADER]: standard.join(' '),
    },
  };
}

/** The id of the event in a body; null: the body is no event. */
function idIn(body: string | Uint8Array): string | null {
  try {
    return parseEvent(body).id;
  } catch {
    return null;
  }
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

/** `evt_` and 26 digits, like the service's ids, but random in all digits. */
function newEventId(): string {
  return `evt_${[...randomBytes(26)].map((byte) => DIGITS[byte % DIGITS.length]).join('')}`;
}
