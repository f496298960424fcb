import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from 'tideline/client';
import { listen } from '../../../stage/loopback.ts';
import { serve } from '../../lib/child.ts';

/**
 * The merchant's server of the benchmark, in its own process. It follows docs/guides/webhooks.md: it reads the raw
 * body, verifies the signature with the client's helper and answers an empty 200. A wrong signature gets a 400.
 *
 * Under `/hangs` it accepts requests and never answers.
 *
 * Argument: the secret. `take` returns the times, in ms, of verified deliveries since the last call, and the ages of
 * their events at that time, in ms of the machine's clock.
 */
async function open([secret = '']: readonly string[]) {
  const came = { arrivals: [] as number[], ages: [] as number[] };
  const server = createServer((request, response) => {
    if (request.url === '/hangs') {
      request.resume();
      return;
    }
    void buffer(request)
      .then((body) => verifyWebhook(body, request.headers, secret, { mode: 'test' }))
      .then(
        ({ createdAt }) => {
          came.arrivals.push(performance.now());
          came.ages.push(Date.now() - Date.parse(createdAt));
          response.writeHead(200).end();
        },
        () => response.writeHead(400).end(),
      );
  });
  server.keepAliveTimeout = 60_000;
  const port = await listen(server);
  return {
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    take: () => ({ arrivals: came.arrivals.splice(0), ages: came.ages.splice(0) }),
  };
}
export type WebhooksReceiver = typeof open;

serve(open);
