import type { Advanced } from 'tideline/client';
import { choiceOf, integerOf, print, scriptWith, UsageError } from '../../../../scripts/lib/script.ts';
import { table, terminalOn } from '../../../../scripts/lib/terminal.ts';
import { CREDENTIAL_OPTIONS, CREDENTIAL_USAGE, clientOf, credentials, explained } from '../credentials.ts';

const usage = `
tideline sandbox advance SUBSCRIPTION [--days N | --to MOMENT | --status STATUS]
  Move the clock of a sandbox subscription, and bill what falls due on the way. Without a flag: to its next due moment.
    --days           by this many days, 1 to 800
    --to             to this moment, such as 2027-03-01 or 2027-03-01T12:00:00Z
    --status         until it is active, past_due or canceled; for the last two its charges fail
    --json           the report of the API on stdout
${CREDENTIAL_USAGE}

Exit codes: 0 it is there, 1 it is not (for the rest of the way, run it again with --to), 2 the arguments are wrong.
`;

const text = { type: 'string' } as const;

export const sandboxCommand = scriptWith({
  usage,
  options: { ...CREDENTIAL_OPTIONS, days: text, to: text, status: text, json: { type: 'boolean' } },
  takes: 2,
  run: async (flags, [command, subscriptionId]) => {
    if (command !== 'advance') throw new UsageError(`${command ?? 'Nothing'}: expected advance`);
    if (subscriptionId === undefined) throw new UsageError('Expected the SUBSCRIPTION, sub_…');
    const goal = goalOf(flags);
    const { sandbox } = clientOf(await credentials(flags, process.env));
    const report = await explained(sandbox.advance({ subscriptionId, ...goal }));
    print({ json: report, text: shown(report) }, flags.json);
    return report.complete ? 0 : 1;
  },
});

const STATUSES = ['active', 'past_due', 'canceled'] as const;
const DAYS_MAX = 800;

type GivenGoal = { readonly [N in 'days' | 'to' | 'status']?: string | undefined };

function goalOf({ days, to, status }: GivenGoal) {
  if ([days, to, status].filter((each) => each !== undefined).length > 1) {
    throw new UsageError('Expected one of --days, --to and --status');
  }
  if (days !== undefined) return { days: integerOf('--days', days, 1, DAYS_MAX) };
  if (to !== undefined) return { to: momentOf(to) };
  return status === undefined ? {} : { status: choiceOf('--status', status, STATUSES) };
}

function momentOf(given: string): string {
  const time = Date.parse(given);
  if (Number.isNaN(time)) throw new UsageError(`--to ${given}: expected a moment such as 2027-03-01T12:00:00Z`);
  return new Date(time).toISOString();
}

function shown({ steps, now, status, currentPeriodEnd, complete }: Advanced): string {
  const { colors } = terminalOn(process.stdout, process.env['NO_COLOR']);
  const rows = steps.map(({ at, event, from, to, outcome }) => [at, event, `${from} → ${to}`, outcome ?? '']);
  const way = rows.length === 0 ? '' : `${table(['at', 'event', 'status', 'outcome'], rows)}\n`;
  const paid = currentPeriodEnd === null ? '' : `, paid until ${currentPeriodEnd}`;
  const rest = complete ? '' : colors.yellow('It has not come as far as you asked: run it again with --to.\n');
  return `${way}${now}: ${status}${paid}\n${rest}`;
}
