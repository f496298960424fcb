import { resetFolder } from '../devnet/reset.ts';
import { runScript, scriptWith } from './lib/script.ts';

const usage = `
npm run reset [-- FOLDER]
  Stop all processes on the data folder and delete it with its database, local chains and keys.
    FOLDER     default DATA_DIR (./data). Refused if Tideline did not make it

Exit codes: 0 deleted, or not there; 1 not deleted, 2 the arguments are wrong.
`;

/** Reads only one variable, because a reset must work even if the rest of the environment is wrong. */
const reset = scriptWith({
  usage,
  options: {},
  takes: 1,
  run: async (_, [folder = process.env['DATA_DIR'] || './data']) => {
    for (const line of await resetFolder(folder)) console.log(line);
    return 0;
  },
});

await runScript(reset, process.argv.slice(2));
