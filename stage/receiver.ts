import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { resourceOf } from '../scripts/lib/resource-of.ts';
import { ScriptError } from '../scripts/lib/script.ts';
import { messageOf } from '../src/errors/message-of.ts';
import type { Mode } from '../src/store/documents.ts';
import { listen } from './loopback.ts';
import { until } from './until.ts';

const envelopeSchema = z.object({
  id: z.string().startsWith('evt_'),
  event: z.string(),
  createdAt: z.iso.datetime(),
  isSandbox: z.boolean(),
  sequence: z.int().positive(),
  data: z.record(z.string(), z.unknown()),
});

/** A webhook event with a verified signature. */
export type Envelope = z.infer<typeof envelopeSchema>;

/** A merchant's webhook endpoint on this machine. */
export interface Receiver {
  readonly url: string;
  /** The accepted events in the order of arrival. */
  readonly accepted: readonly Envelope[];
  readonly refused: readonly string[];
  /** Sets the secret of a mode that verifies deliveries from now on. Events of the other mode are refused. */
  setSecret(secret: string, mode: Mode): void;
  onAccepted(callback: (envelope: Envelope) => void): void;
  /** Resolves with the first accepted event that `matches`, earlier ones included. */
  until(what: string, matches: (envelope: Envelope) => boolean): Promise<Envelope>;
  /** The accepted events of a resource by `sequence`, each once, such as `payment.failed: insufficient_balance`. */
  eventsOf(resource: string): readonly string[];
  /** The accepted events, each once, in the order of their first arrival. */
  events(): readonly Envelope[];
  /** Closes the endpoint; pending `until` calls reject. */
  close(): Promise<void>;
}

/** A later delivery is an error, because a charge takes less than a second. */
const PATIENCE_MS = 25_000;

/** Deliveries whose time differs more are refused, as a replay of an old one would be. */
const TOLERANCE_S = 300;

/** `now`: the time of the sender; the real one by default. */
export async function startReceiver({ now = () => new Date() }: { readonly now?: () => Date } = {}): Promise<Receiver> {
  const accepted: Envelope[] = [];
  const refused: string[] = [];
  const listeners = new Set<(envelope: Envelope) => void>();
  const closed = new AbortController();
  let known: Pick<Verification, 'secret' | 'mode'> | null = null;

  const came = (): string => {
    const all = [...accepted.map(({ event }) => event), ...refused.map((reason) => `refused: ${reason}`)];
    return `What came: ${all.join(', ') || 'nothing'}`;
  };
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const problem =
      known === null ? 'it came before the secret was known' : refusal(request, body, { ...known, now: now() });
    const envelope = problem === null ? envelopeSchema.safeParse(JSON.parse(body.toString('utf8'))) : null;
    if (!envelope?.success || envelope.data.isSandbox !== (known?.mode === 'test')) {
      const other = envelope?.success ? 'it is of the other mode' : `its body: ${envelope?.error?.message}`;
      refused.push(problem ?? other);
      response.writeHead(400).end();
      return;
    }
    response.writeHead(204).end();
    accepted.push(envelope.data);
    for (const listener of listeners) listener(envelope.data);
  };
  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => {
      refused.push(messageOf(error));
      response.destroy();
    });
  });
  const port = await listen(server);

  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    accepted,
    refused,
    setSecret(secret, mode) {
      known = { secret, mode };
    },
    onAccepted(callback) {
      listeners.add(callback);
    },
    eventsOf: (resource) => eventsOf(accepted, resource),
    events: () => eachOnce(accepted),
    until: (what, matches) => {
      const isThere = (envelope: Envelope | undefined) => envelope !== undefined;
      const how = { withinMs: PATIENCE_MS, signal: closed.signal, explain: came };
      return until(`a webhook has come ${what}`, () => accepted.find(matches), isThere, how);
    },
    async close() {
      closed.abort(new ScriptError(`The endpoint was closed. ${came()}`));
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A gap in the numbers is shown. */
function eventsOf(accepted: readonly Envelope[], resource: string): string[] {
  return eachOnce(accepted)
    .filter((envelope) => resourceOf(envelope) === resource)
    .sort((one, other) => one.sequence - other.sequence)
    .map((envelope, index) => {
      const text = textOf(envelope);
      return envelope.sequence === index + 1 ? text : `${envelope.sequence}: ${text}`;
    });
}

/** A repeated delivery has the same id. */
function eachOnce(accepted: readonly Envelope[]): Envelope[] {
  return [...new Map(accepted.map((envelope) => [envelope.id, envelope])).values()];
}

/** An event with its reason: `payment.failed: insufficient_balance`. */
export function textOf({ event, data: { reason } }: Pick<Envelope, 'event' | 'data'>): string {
  return reason === undefined ? event : `${event}: ${String(reason)}`;
}

interface Verification {
  readonly secret: string;
  readonly mode: Mode;
  readonly now: Date;
}

/** Why a delivery is refused; null: it is the service's. From docs/guides/webhooks.md, as a merchant would. */
function refusal({ headers }: IncomingMessage, body: Buffer, { secret, now }: Verification): string | null {
  const timestamp = headers['x-service-timestamp'];
  const signature = headers['x-service-signature-mode'];
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return 'it is not signed';
  if (!(Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= TOLERANCE_S)) return `its time is ${timestamp}`;
  const expected = createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(`${timestamp}.`), body]))
    .digest();
  const given = Buffer.from(signature, 'hex');
  const isEqual = given.length === expected.length && timingSafeEqual(given, expected);
  return isEqual ? null : 'its signature is not made with the secret';
}
