import { messageOf } from '../src/errors/message-of.ts';
import { readArguments, requireNothing } from './lib/arguments.ts';
import { runScript, ScriptError } from './lib/script.ts';
import { withStore } from './lib/stored.ts';

const usage = `
npm run migrate
  Make the missing collections and indexes, as every start does, and wait until they are built. Run it before the processes of a
  new version start: where an index differs, it fails, and the old version goes on.
    MONGODB_URI      the database (default: the embedded one of DATA_DIR, ./data, with or without a running service)

Exit codes: 0 the database is ready, 1 it is not, 2 the arguments are wrong.
`;

async function main(argv: readonly string[]): Promise<number> {
  const { positionals } = readArguments(argv, {});
  requireNothing(positionals);
  // Opening a store makes what is missing.
  await withStore(process.env, async () => undefined).catch((error: unknown) => {
    throw new ScriptError(`The database is not ready: ${messageOf(error)}`);
  });
  process.stdout.write('The database has all collections and indexes.\n');
  return 0;
}

await runScript({ usage, main }, process.argv.slice(2));
