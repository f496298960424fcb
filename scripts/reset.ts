import { resetFolder } from '../src/devnet/reset.ts';
import { messageOf } from '../src/message-of.ts';

/**
 * `npm run reset`: ends the supervisor of the data folder and deletes the folder. `npm run reset -- FOLDER` names another
 * one than DATA_DIR. Reads that one variable by itself: a reset has to work where the rest of the environment is wrong.
 */
async function main(): Promise<void> {
  const dataDir = process.argv[2] ?? process.env['DATA_DIR'] ?? './data';
  for (const line of await resetFolder(dataDir)) console.log(line);
}

main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exitCode = 1;
});
