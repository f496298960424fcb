import type { webhooks } from '../schema.ts';
import { WebhookVerificationError } from './verification-error.ts';

type Delivered<Operation> = Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
  ? Body
  : never;

type EventsByName = { [Name in keyof webhooks]: Delivered<webhooks[Name]['post']> };

/** One event as it is delivered: the kind in `event` decides the type of `data`. */
export type WebhookEvent = EventsByName[keyof EventsByName];

type Fillable = 'id' | 'createdAt' | 'isSandbox' | 'sequence';

/** Each kind by itself, so that `data` still depends on `event`. */
type Fill<Event> = Event extends WebhookEvent ? Omit<Event, Fillable> & Partial<Pick<Event, Fillable>> : never;

/** An event with only the fields that a test needs. */
export type TestEvent = Fill<WebhookEvent>;

/** Bytes in front of the JSON are an error, not a mark. */
const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The event in a body with a valid signature. Throws a WebhookVerificationError (`event_malformed`) for another body.
 */
export function parseEvent(rawBody: string | Uint8Array): WebhookEvent {
  const text = typeof rawBody === 'string' ? rawBody : UTF_8.decode(rawBody);
  try {
    const event: WebhookEvent = JSON.parse(text);
    if (isEnvelope(event)) return event;
  } catch {
    // The error below reports this too.
  }
  const message = 'The body is signed, but is no event: expected JSON with id, event, createdAt, isSandbox and data';
  throw new WebhookVerificationError('event_malformed', message);
}

/** Accepts kinds that are newer than this client. */
function isEnvelope(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { id, event, createdAt, isSandbox, data }: Record<string, unknown> = { ...value };
  return (
    typeof id === 'string' &&
    id.startsWith('evt_') &&
    typeof event === 'string' &&
    typeof createdAt === 'string' &&
    typeof isSandbox === 'boolean' &&
    typeof data === 'object' &&
    data !== null &&
    !Array.isArray(data)
  );
}
