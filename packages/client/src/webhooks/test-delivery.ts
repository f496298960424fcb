import { randomDigits } from '../random.ts';
import { base64Of, hexOf } from './bytes.ts';
import { parseEvent, type TestEvent, type WebhookEvent } from './event.ts';
import {
  MODE_SIGNATURE_HEADERS,
  PREVIOUS_SIGNATURE_HEADER,
  SIGNATURE_HEADER,
  STANDARD_HEADERS,
  TIMESTAMP_HEADER,
} from './headers.ts';
import { type Signing, serviceSigning, standardSigning } from './signing.ts';

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

/** A delivery for a test, before it is signed. */
export interface TestDelivery {
  readonly body: string | Uint8Array;
  /** Each needs one digest. `signed` takes the digests in this order. */
  readonly signings: readonly Signing[];
  /** The whole delivery with the digests of `signings`. */
  readonly signed: (digests: readonly Uint8Array[]) => SignedWebhook<string | Uint8Array>;
}

/** A delivery of an event, or of a body as it is. */
export function testDelivery(
  given: TestEvent | string | Uint8Array,
  secret: string,
  { timestamp = new Date(), previousSecret }: SignOptions,
): TestDelivery {
  const isRaw = typeof given === 'string' || given instanceof Uint8Array;
  const body = isRaw ? given : JSON.stringify(envelopeOf(given));
  const seconds = String(Math.floor(typeof timestamp === 'number' ? timestamp : timestamp.getTime() / 1_000));
  const id = idIn(body) ?? newEventId();
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  const own = secrets.map((each) => serviceSigning(each, seconds, body));
  const standard = secrets
    .map((each) => standardSigning(each, { id, timestamp: seconds, rawBody: body }))
    .filter((signing) => signing !== null);
  return {
    body,
    signings: [...own, ...standard],
    signed: (digests) => {
      const [signature, previous] = digests.slice(0, own.length).map(hexOf);
      const [ofMode, ofModePrevious] = MODE_SIGNATURE_HEADERS;
      const others = digests.slice(own.length).map((digest) => `v1,${base64Of(digest)}`);
      return {
        body,
        headers: {
          'Content-Type': 'application/json',
          [TIMESTAMP_HEADER]: seconds,
          [SIGNATURE_HEADER]: signature ?? '',
          [ofMode]: signature ?? '',
          ...(previous === undefined ? {} : { [PREVIOUS_SIGNATURE_HEADER]: previous, [ofModePrevious]: previous }),
          ...(others.length === 0 ? {} : standardHeaders(id, seconds, others)),
        },
      };
    },
  };
}

function standardHeaders(id: string, seconds: string, signatures: readonly string[]) {
  return {
    [STANDARD_HEADERS.id]: id,
    [STANDARD_HEADERS.timestamp]: seconds,
    [STANDARD_HEADERS.signature]: signatures.join(' '),
  };
}

/** The id of the event in a body; null: the body is not an event. */
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

/** Like the service's ids, but random in all digits. */
function newEventId(): string {
  return `evt_${randomDigits()}`;
}
