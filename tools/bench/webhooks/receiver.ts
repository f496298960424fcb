import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from 'tideline/client';
import { z } from 'zod';

/**
 * The merchant's server of the benchmark, in its own process. It follows docs/guides/webhooks.md: it reads the raw
 * body, verifies the signature with the client's helper and answers an empty 200. A wrong signature gets a 400.
 *
 * Under `/hangs` it accepts requests and never answers.
 *
 * Argument: the secret. It answers any message with `{port, arrivals, ages}`: the times, in ms, of verified deliveries
 * since the last message, and the ages of their events at that time, in ms of the machine's clock.
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
// The parent process has ended.
process.once('disconnect', () => process.exit());
