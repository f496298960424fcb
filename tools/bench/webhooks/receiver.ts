import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { verifyWebhook } from '../../../src/client/webhooks/verify.ts';

/**
 * The merchant's server of the benchmark, in a process of its own. It follows docs/guides/webhooks.md: it reads the
 * raw body, verifies its signature with the client's helper and answers an empty 200; what is not signed gets a 400.
 *
 * Under `/hangs` it takes what comes and never answers.
 *
 * Argument: the secret. Any message is answered with `{port, arrivals, ages}`: the moments, in ms, at which verified deliveries
 * have arrived since the last message, and how old, in ms of the machine's clock, their events were then.
 */
const [secret = ''] = process.argv.slice(2);
let arrivals: number[] = [];
let ages: number[] = [];

const server = createServer((request, response) => {
  if (request.url === '/hangs') {
    request.resume();
    return;
  }
  void buffer(request)
    .then((body) => verifyWebhook(body, request.headers, secret))
    .then(
      ({ createdAt }) => {
        arrivals.push(performance.now());
        ages.push(Date.now() - Date.parse(createdAt));
        response.writeHead(200).end();
      },
      () => response.writeHead(400).end(),
    );
});
server.keepAliveTimeout = 60_000;

server.listen(0, '127.0.0.1', () => {
  const { port } = z.object({ port: z.int() }).parse(server.address());
  process.on('message', () => {
    process.send?.({ port, arrivals, ages });
    arrivals = [];
    ages = [];
  });
});
// Whoever asks is gone.
process.once('disconnect', () => process.exit());
