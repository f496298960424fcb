import { resetFolder } from '../devnet/reset.ts';
import { readArguments, requireNothing } from './lib/arguments.ts';
import { runScript } from './lib/script.ts';

const usage = `
npm run reset [-- FOLDER]
  End what runs on the data folder and delete the folder with all that is in it: database, local chains, keys.
    FOLDER     else DATA_DIR (./data). Refused where it is not one that Tideline has made

Exit codes: 0 deleted, or not there; 1 not deleted, 2 not understood.
`;

/** Reads one variable by itself: a reset has to work where the rest of the environment is wrong. */
async function main(argv: readonly string[]): Promise<number> {
  const { positionals } = readArguments(argv, {});
  const [folder, ...rest] = positionals;
  requireNothing(rest);
  const dataDir = folder ?? (process.env['DATA_DIR'] || './data');
  for (const line of await resetFolder(dataDir)) console.log(line);
  return 0;
}

await runScript({ usage, main }, process.argv.slice(2));
