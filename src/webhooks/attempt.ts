import { isSuccess } from '../../machines/delivery.ts';
import { Fault } from '../errors/fault.ts';
import type { Log } from '../observability/log.ts';
import type { EventFacts, SigningSecrets, WebhookSettings } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import type { AddressGuard } from './address-guard.ts';
import { type DeliveryMessage, effectiveUrl } from './deliveries.ts';
import { deliveredData } from './events.ts';
import type { Answer, PostRequest } from './http-poster.ts';
import type { WebhookParts } from './parts.ts';
import { modeSecretSlot, type SecretSlot, SecretUnreadable, sharedSecretSlot } from './secret-box.ts';
import { SIGNATURE_HEADERS, STANDARD_HEADERS, signBody, signStandard } from './signature.ts';

export type AttemptEnded = Extract<DeliveryMessage, { type: 'attempt.ended' }>;

/** An endpoint as it is when an attempt begins. */
interface Endpoint {
  readonly url: URL;
  /** The secret of both modes, and after it the one before while the overlap of a rotation lasts. */
  readonly secrets: readonly string[];
  /** The same for the secret of the event's mode; empty if it was never made. */
  readonly modeSecrets: readonly string[];
}

const USER_AGENT = 'Tideline-Webhooks/1';

/**
 * The secrets that sign at `now`, opened by `open`, the present one first; empty if none was made. Throws
 * SecretUnreadable if the present one cannot be opened. If the previous one cannot be opened, the present one signs
 * alone, and `missed` gets the error.
 */
function secretsAt(
  { secret, previousSecret, previousSecretUntil }: SigningSecrets,
  open: (stored: string) => string,
  now: Date,
  missed: (error: SecretUnreadable) => void,
): readonly string[] {
  if (secret === null) return [];
  const present = open(secret);
  if (previousSecret === null || previousSecretUntil === null || previousSecretUntil <= now) return [present];
  try {
    return [present, open(previousSecret)];
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    missed(error);
    return [present];
  }
}

/**
 * The request for an event to its merchant's endpoint as it is at `now`, signed by the secrets of that time. It has no
 * URL that would not be accepted now. Throws SecretUnreadable if a present secret cannot be opened.
 */
export function requestFor(
  { guard, secrets: box, log }: WebhookParts,
  event: EventFacts,
  settings: WebhookSettings | null,
  now: Date,
): PostRequest | 'no endpoint' | 'not allowed' {
  const url = settings && effectiveUrl(settings, event.mode);
  if (!url || settings.secret === null) return 'no endpoint';
  const missed = (error: SecretUnreadable) =>
    log.warn({ event: event._id, error }, 'the previous webhook secret cannot be opened; the new one signs alone');
  const opened = (stored: SigningSecrets, { owner }: SecretSlot) =>
    secretsAt(stored, (sealed) => box.open(sealed, owner), now, missed);
  const secrets = opened(settings, sharedSecretSlot(event.merchantId));
  const own = settings.modeSecrets?.[event.mode];
  const modeSecrets = own === undefined ? [] : opened(own, modeSecretSlot(event));
  const allowed = admittedUrl(guard, url, event.mode);
  return allowed ? requestOf(event, { url: allowed, secrets, modeSecrets }, now) : 'not allowed';
}

/** The saved URL; null if it would not be accepted now. */
function admittedUrl(guard: AddressGuard, url: string, mode: Mode): URL | null {
  try {
    return guard.parse(url, mode);
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

export const NOT_ALLOWED: Answer = { status: null, error: 'The URL is not allowed', body: null };

/** The request of one attempt, signed as of `now` (reference, section 6: Signature), and for Standard Webhooks. */
export function requestOf(event: EventFacts, { url, secrets, modeSecrets }: Endpoint, now: Date): PostRequest {
  const body = envelopeOf(event);
  const seconds = Math.floor(now.getTime() / 1_000);
  const signed = (by: readonly string[], present: string, previous: string) =>
    Object.fromEntries(
      by.map((secret, index) => [index === 0 ? present : previous, signBody(secret, seconds, body)] as const),
    );
  const standard = [...secrets, ...modeSecrets].map((secret) => signStandard(secret, event._id, seconds, body));
  return {
    url,
    body,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': USER_AGENT,
      [SIGNATURE_HEADERS.timestamp]: String(seconds),
      ...signed(secrets, SIGNATURE_HEADERS.signature, SIGNATURE_HEADERS.previous),
      ...signed(modeSecrets, SIGNATURE_HEADERS.mode, SIGNATURE_HEADERS.modePrevious),
      [STANDARD_HEADERS.id]: event._id,
      [STANDARD_HEADERS.timestamp]: String(seconds),
      [STANDARD_HEADERS.signature]: standard.join(' '),
    },
  };
}

export function answered(attempt: number, startedAt: Date, durationMs: number, answer: Answer): AttemptEnded {
  return {
    type: 'attempt.ended',
    outcome: isSuccess(answer.status) ? 'delivered' : 'failed',
    record: { attempt, startedAt: startedAt.toISOString(), durationMs, ...answer },
  };
}

/** The end of an attempt without a URL: no request was made. */
export function withoutEndpoint(attempt: number, startedAt: Date): AttemptEnded {
  const record = { attempt, startedAt: startedAt.toISOString(), durationMs: 0, status: null, body: null };
  return { type: 'attempt.ended', outcome: 'no_endpoint', record: { ...record, error: 'No webhook URL is set' } };
}

/**
 * The exact bytes that are signed and sent, the same for every attempt: the envelope of the reference (section 6:
 * Delivery) and `sequence`, which counts the events of one resource (docs/rules.md, "Webhooks").
 */
export function envelopeOf(event: EventFacts): Buffer {
  return Buffer.from(
    JSON.stringify({
      id: event._id,
      event: event.event,
      createdAt: event.createdAt.toISOString(),
      isSandbox: event.mode === 'test',
      data: deliveredData(event),
      sequence: event.sequence,
    }),
  );
}

/** Pauses before the next try to store an outcome, in milliseconds. After the last one the lease decides. */
const STORE_AGAIN_MS = [100, 400, 1_600, 6_400] as const;

/**
 * Stores an outcome, and tries again when that fails: a short outage of the database must not send an event a second
 * time. Rejects with the error of the last try, or at once if `isWanted` returns false.
 */
export async function storing<T>(
  { log, isWanted = () => true }: { readonly log: Log; readonly isWanted?: () => boolean },
  event: string,
  store: () => Promise<T>,
): Promise<T> {
  for (const pauseMs of STORE_AGAIN_MS) {
    try {
      return await store();
    } catch (error) {
      if (!isWanted()) throw error;
      log.warn({ event, err: error }, 'the outcome of a delivery could not be stored; trying again');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return store();
}
