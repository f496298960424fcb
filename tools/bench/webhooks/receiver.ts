import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from 'tideline/client';
import { listen } from '../../../stage/loopback.ts';
import { serve } from '../../lib/child.ts';

/**
 * The merchant's server of the benchmark, in its own process. It follows docs/guides/webhooks.md: it reads the raw
 * body, verifies the signature with the client's helper and answers an empty 200. A wrong signature gets a 400.
 *
 * Argument: the secret. `take` returns the number of verified deliveries since the last call.
 */
async function open([secret = '']: readonly string[]) {
  let came = 0;
  const server = createServer((request, response) => {
    void buffer(request)
      .then((body) => verifyWebhook(body, request.headers, secret, { mode: 'test' }))
      .then(
        () => {
          came += 1;
          response.writeHead(200).end();
        },
        () => response.writeHead(400).end(),
      );
  });
  server.keepAliveTimeout = 60_000;
  const port = await listen(server);
  return {
    url: () => `http://127.0.0.1:${port}/webhooks`,
    take: () => {
      const taken = came;
      came = 0;
      return taken;
    },
  };
}
export type WebhooksReceiver = typeof open;

serve(open);
