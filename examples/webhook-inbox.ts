import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@tideline/client/node';

/** A webhook endpoint on this machine. */
export interface Inbox {
  readonly url: string;
  /** Verified events in the order in which they came, each once. */
  readonly events: readonly WebhookEvent[];
  /** How many deliveries were not believed. */
  readonly refused: () => number;
  /** The signing secret: nothing is believed before it is known. */
  setSecret(secret: string): void;
  /** The first event for which `matches` holds, one that has come already included. */
  until(what: string, matches: (event: WebhookEvent) => boolean): Promise<WebhookEvent>;
  close(): void;
}

const PATIENCE_MS = 30_000;

export async function openInbox(): Promise<Inbox> {
  const events: WebhookEvent[] = [];
  const waiting = new Set<(event: WebhookEvent) => void>();
  let secret = '';
  let refused = 0;

  const server = createServer(async (request, response) => {
    try {
      const event = verifyWebhook(await bodyOf(request), request.headers, secret);
      response.writeHead(204).end();
      // Duplicates are possible (reference, section 6: Retries).
      if (events.some(({ id }) => id === event.id)) return;
      events.push(event);
      for (const offer of waiting) offer(event);
    } catch (error) {
      refused += 1;
      const reason = error instanceof WebhookVerificationError ? error.reason : 'unreadable';
      response.writeHead(400).end(reason);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the inbox has no port');

  return {
    url: `http://127.0.0.1:${address.port}/webhooks`,
    events,
    refused: () => refused,
    setSecret: (text) => {
      secret = text;
    },
    until: (what, matches) =>
      new Promise((resolve, reject) => {
        const there = events.find(matches);
        if (there) return resolve(there);
        const late = setTimeout(() => {
          const came = events.map(({ event }) => event).join(', ') || 'nothing';
          reject(new Error(`no webhook ${what} within ${PATIENCE_MS / 1_000} s; what came: ${came}`));
        }, PATIENCE_MS);
        const offer = (event: WebhookEvent): void => {
          if (!matches(event)) return;
          clearTimeout(late);
          waiting.delete(offer);
          resolve(event);
        };
        waiting.add(offer);
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The exact bytes: the signature is over them, not over what they mean. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
