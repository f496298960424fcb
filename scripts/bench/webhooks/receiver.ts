import { createServer } from 'node:http';
import { z } from 'zod';

/**
 * The merchant's server of the benchmark, in a process of its own: reads each request to its end and answers an empty 200.
 * Any message is answered with `{port, received}`.
 */
let received = 0;

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    received += 1;
    response.writeHead(200).end();
  });
});
server.keepAliveTimeout = 60_000;

server.listen(0, '127.0.0.1', () => {
  const { port } = z.object({ port: z.int() }).parse(server.address());
  process.on('message', () => process.send?.({ port, received }));
});
// Whoever asks is gone.
process.once('disconnect', () => process.exit());
