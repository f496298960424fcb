import { MACHINES } from '../../machines/versions.ts';
import { newId } from '../../src/store/ids.ts';
import { withStore } from '../lib/installation.ts';
import { print, scriptWith, UsageError } from '../lib/script.ts';
import { type ArchiveReport, archive as archiveInto, restoreArchive as restoreFrom } from './archive/archive.ts';
import { openFolder } from './archive/disk.ts';

/** A process that was suspended for so long with a write under way is assumed to be dead. */
const DAYS_MIN = 30;
const DAY_MS = 86_400_000;

const ENVIRONMENT = `    --json           {"rows", "events", "unsound"} on stdout
    MONGODB_URI      the database (default: the embedded one of DATA_DIR, ./data, with or without a running service)`;

export const archive = scriptWith({
  usage: `
npm run ops -- archive --before DATE --to FOLDER [--json]
  Move old rows of the log and of usage, and old webhook events into a folder, with or without a running service. Payments and subscriptions
  stay, with everything that their lists, proofs, revenue and idempotency keys need.
    --before         rows that were stored and events that were made before this date (UTC, YYYY-MM-DD), at least ${DAYS_MIN} days ago
    --to             the folder; an interrupted call is completed by the same call
${ENVIRONMENT}

Exit codes: 0 done, 1 not done or the journal of an actor is unsound (it stays in the database), 2 the arguments are wrong.
`,
  options: { before: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean' } },
  run: async ({ before: text = '', to, json }) => {
    const before = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? text : Number.NaN);
    const now = new Date();
    if (!(before.getTime() <= now.getTime() - DAYS_MIN * DAY_MS))
      throw new UsageError(`--before ${text}: expected YYYY-MM-DD, at least ${DAYS_MIN} days ago`);
    if (to === undefined) throw new UsageError('--to is missing: expected a folder');
    const disk = await openFolder(to);
    const report = await withStore(process.env, (store) =>
      archiveInto({ store, machines: MACHINES, disk }, newId('op', now), before),
    );
    return shown(report, 'archived', json);
  },
});

export const restoreArchive = scriptWith({
  usage: `
npm run ops -- restore-archive --from FOLDER [--json]
  Store everything that \`archive\` has moved into a folder again. If several folders have rows of one actor, begin with the newest.
    --from           the folder; it stays as it is
${ENVIRONMENT}

Exit codes: 0 done, 1 not done, or a newer archive has to be restored first, 2 the arguments are wrong.
`,
  options: { from: { type: 'string' }, json: { type: 'boolean' } },
  run: async ({ from, json }) => {
    if (from === undefined) throw new UsageError('--from is missing: expected a folder');
    const disk = await openFolder(from);
    return shown(await withStore(process.env, (store) => restoreFrom({ store, disk })), 'restored', json);
  },
});

function shown(report: ArchiveReport, done: string, json: boolean | undefined): number {
  const { rows, events, unsound } = report;
  const problems = unsound.map((each) => `  ${each}\n`).join('');
  print({ json: report, text: `${rows} rows and ${events} events ${done}\n${problems}` }, json);
  return unsound.length === 0 ? 0 : 1;
}
