import { once } from 'node:events';
import { createServer } from 'node:http';
import { z } from 'zod';

const event = z.object({
  id: z.string(),
  event: z.string(),
  createdAt: z.string(),
  isSandbox: z.boolean(),
  data: z.record(z.string(), z.unknown()),
  sequence: z.number(),
});
export type ReceivedEvent = z.infer<typeof event>;

/** A merchant's webhook endpoint on loopback that answers 200. */
export interface EventReceiver {
  readonly url: string;
  /** In the order in which they came; a repeated one stands here again. */
  readonly events: readonly ReceivedEvent[];
  ids(): ReadonlySet<string>;
  stop(): Promise<void>;
}

export async function startEventReceiver(): Promise<EventReceiver> {
  const events: ReceivedEvent[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      events.push(event.parse(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
      response.writeHead(200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/hooks`,
    events,
    ids: () => new Set(events.map(({ id }) => id)),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
