import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from '../../scripts/lib/free-port.ts';

it('finds ports that the system assigns to nobody else, and none that is taken', async () => {
  const server = createServer();
  server.listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const taken = typeof address === 'object' ? address?.port : undefined;

  const found: number[] = [];
  for (let count = 0; count < 150; count += 1) found.push(await freePort());

  expect(taken).toEqual(expect.any(Number));
  expect(found).not.toContain(taken);
  expect(found.filter((port) => port < 12_000 || port >= 32_000)).toEqual([]);
  server.close();
});
