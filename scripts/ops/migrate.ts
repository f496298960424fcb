import { messageOf } from '../../src/errors/message-of.ts';
import { type EncryptionKeys, reseal, SecretBox } from '../../src/webhooks/secret-box.ts';
import { configOf, withStore } from '../lib/installation.ts';
import type { Environment } from '../lib/running-service.ts';
import { ScriptError, scriptWith } from '../lib/script.ts';

const usage = `
npm run ops -- migrate
  Make the missing collections and indexes, as every start does, and wait until they are built. Run it before the processes of a
  new version start: where an index differs, it fails, and the old version goes on.
  With ENCRYPTION_KEY, signing secrets of webhooks that are stored in the clear or under a retired key are encrypted with it.
  It warns of each that no key here opens: the database is ready all the same, and only that merchant's deliveries wait.
    MONGODB_URI      the database (default: the embedded one of DATA_DIR, ./data, with or without a running service)

Exit codes: 0 the database is ready, 1 it is not, 2 the arguments are wrong.
`;

async function migrated(): Promise<number> {
  const box = new SecretBox(encryptionOf(process.env));
  // `withStore` makes missing collections and indexes when it opens the store.
  const { count, unreadable } = await withStore(process.env, ({ records }) => reseal(records, box, new Date())).catch(
    (error: unknown) => {
      throw new ScriptError(`The database is not ready: ${messageOf(error)}`);
    },
  );
  process.stdout.write('The database has all collections and indexes.\n');
  if (count > 0)
    process.stdout.write(`The webhook secrets of ${count} merchants are encrypted with the present key.\n`);
  for (const sentence of unreadable) process.stderr.write(`Warning: ${sentence}\n`);
  return 0;
}

/** Only these variables are read: the job that prepares a database has no others. */
function encryptionOf(environment: Environment): EncryptionKeys | null {
  const names = Object.keys(environment).filter((name) => name.startsWith('ENCRYPTION_KEY'));
  return configOf(Object.fromEntries(names.map((name) => [name, environment[name]]))).encryption;
}

export const migrate = scriptWith({ usage, options: {}, run: migrated });
