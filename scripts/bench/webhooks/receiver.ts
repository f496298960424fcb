import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { verifyWebhook } from '../../../src/client/webhooks/verify.ts';

/**
 * The merchant's server of the benchmark, in a process of its own. It does what the README tells a merchant to do: reads the
 * raw body, verifies its signature with the client's helper and answers an empty 200; what is not signed gets a 400.
 *
 * Argument: the secret. Any message is answered with `{port, arrivals}`: the moments, in ms, at which verified deliveries have
 * arrived since the last message.
 */
const [secret = ''] = process.argv.slice(2);
let arrivals: number[] = [];

const server = createServer((request, response) => {
  void buffer(request)
    .then((body) => verifyWebhook(body, request.headers, secret))
    .then(
      () => {
        arrivals.push(performance.now());
        response.writeHead(200).end();
      },
      () => response.writeHead(400).end(),
    );
});
server.keepAliveTimeout = 60_000;

server.listen(0, '127.0.0.1', () => {
  const { port } = z.object({ port: z.int() }).parse(server.address());
  process.on('message', () => {
    process.send?.({ port, arrivals });
    arrivals = [];
  });
});
// Whoever asks is gone.
process.once('disconnect', () => process.exit());
