import { messageOf } from '../src/errors/message-of.ts';
import { embeddedMongo, memoryServerMongo, openMongo, type RunningMongo } from './mongo-engine.ts';

/**
 * The process of MongoDB, so that an abort of the engine cannot end the supervisor. Started by `fork` with the data
 * folder as its first argument. It sends `ready` or `failed`, and closes at the message `stop` or when its parent is
 * gone, even after a kill.
 *
 * @param socketFolder the folder of the engine's socket; by default the folder for temporary files
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
