import { messageOf } from '../src/errors/message-of.ts';
import { embeddedMongo, memoryServerMongo, openMongo, type RunningMongo } from './mongo-engine.ts';

/**
 * The process in which MongoDB runs: an abort of the engine cannot take the supervisor with it. Started by `fork` with
 * the data folder as its first argument; it says `ready` or `failed`, closes at the message `stop`, and also when its
 * parent is gone, whatever the parent died of.
 *
 * @param socketFolder where the engine puts its socket, in a folder of its own; without it, where temporary files go
 */
async function main(dataDir: string, socketFolder: string | undefined): Promise<void> {
  if (socketFolder !== undefined) process.env['TMPDIR'] = socketFolder;
  let mongo: RunningMongo | undefined;
  let closing = false;
  const close = async () => {
    if (closing) return;
    closing = true;
    await mongo?.close();
    process.exit(0);
  };
  process.on('message', (message) => {
    if (message === 'stop') void close();
  });
  process.on('disconnect', () => void close());

  mongo = await openMongo(dataDir, [embeddedMongo, memoryServerMongo]);
  if (closing) return;
  process.send?.({ type: 'ready', address: mongo.address });
}

main(process.argv[2] ?? '', process.argv[3]).catch((error: unknown) => {
  process.send?.({ type: 'failed', message: messageOf(error) }, () => process.exit(1));
});
