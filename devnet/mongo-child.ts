import { runPart } from './child.ts';
import { embeddedMongo, memoryServerMongo, openMongo } from './mongo-engine.ts';

/**
 * The process of MongoDB, so that an abort of the engine cannot end the supervisor. Its arguments are the data folder
 * and the folder of the engine's socket, which is by default the folder for temporary files.
 */
runPart(async ([dataDir = '', socketFolder]) => {
  if (socketFolder !== undefined) process.env['TMPDIR'] = socketFolder;
  const { address, close } = await openMongo(dataDir, [embeddedMongo, memoryServerMongo]);
  return { address: { address }, close };
});
