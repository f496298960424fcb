import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { acknowledgeRefunds } from '../../src/billing/administration/acknowledge.ts';
import { auditAll, type ChainAudit } from '../../src/billing/audit/audit.ts';
import { bundleOf } from '../../src/billing/audit/bundle.ts';
import { MONTH } from '../../src/model/time-zones.ts';
import { proofSigner } from '../../src/service/kept-secret.ts';
import { configOf, withDeployment, withInstallation } from '../lib/installation.ts';
import { choiceOf, print, ScriptError, scriptWith, UsageError } from '../lib/script.ts';
import { table, terminalOn } from '../lib/terminal.ts';
import { orderOf } from './staff-order.ts';

const usage = `
npm run ops -- audit [--since T]
  Compare settled money with the chains' logs in both directions, and report balances at addresses that must be empty.
  Changes nothing. It needs the service's environment, and may run beside the service.
npm run ops -- audit --acknowledge TRANSACTION --by NAME --reason WHY [--since T]
  Acknowledge the transfer of an unknown_refund, so that no audit reports it any more. The merchant's staff journal has it.
npm run ops -- audit --bundle FOLDER --merchant ID --month 2030-01 [--mode live|test]
  Write a bundle for an auditor into a new folder: every proof and refund of the month, and the result of the
  audit since its first day, with a signed manifest. \`tideline verify-bundle\` checks it offline.
    --since          only blocks from this time on, by the chain's clock: 2026-01-31, or 2026-01-31T10:00:00Z
    --json           {"count", "chains": [{"chainId", "from", "to", "charges", "payments", "differences": […]}]} on stdout

Exit codes: 0 no difference, 1 a difference or not done, 2 the arguments are wrong.
`;

export const audit = scriptWith({
  usage,
  options: {
    since: { type: 'string' },
    json: { type: 'boolean' },
    acknowledge: { type: 'string' },
    by: { type: 'string' },
    reason: { type: 'string' },
    bundle: { type: 'string' },
    merchant: { type: 'string' },
    mode: { type: 'string', default: 'live' },
    month: { type: 'string' },
  },
  run: async ({ acknowledge = null, ...flags }) => {
    if (flags.bundle !== undefined) return bundle(flags.bundle, flags);
    const since = flags.since === undefined ? null : momentOf(flags.since);
    const order = acknowledge === null ? null : orderOf(flags);
    const { audits, payments } = await withDeployment(configOf(process.env), (deployment) =>
      withInstallation(deployment, async (deps) => {
        const audits = await auditAll(deps, since);
        if (acknowledge === null || order === null) return { audits, payments: null };
        const found = audits.flatMap(({ differences }) => differences);
        const change = { store: deps.store, clock: () => new Date() };
        return { audits, payments: await acknowledgeRefunds(change, found, acknowledge, order) };
      }),
    );
    if (payments?.length === 0) throw new ScriptError(`The audit finds no unknown_refund in ${acknowledge}`);
    if (payments !== null) {
      const text = `Acknowledged for ${payments.join(', ')}; the staff journal of the merchant has it\n`;
      print({ json: { acknowledged: payments }, text }, flags.json);
      return 0;
    }
    const count = audits.reduce((sum, each) => sum + each.count, 0);
    print({ json: { count, chains: audits }, text: shown(audits, count) }, flags.json);
    return count === 0 ? 0 : 1;
  },
});

interface BundleFlags {
  readonly merchant?: string | undefined;
  readonly mode?: string | undefined;
  readonly month?: string | undefined;
}

async function bundle(folder: string, { merchant: merchantId, mode, month = '' }: BundleFlags): Promise<number> {
  if (merchantId === undefined) throw new UsageError('--merchant is missing');
  if (!MONTH.test(month)) throw new UsageError('--month: expected a month such as 2030-01');
  if ((await readdir(folder).catch(() => [])).length > 0)
    throw new ScriptError(`${folder} is not empty: name a new folder`);
  const tenant = { merchantId, mode: choiceOf('--mode', mode, ['live', 'test']) };
  await withDeployment(configOf(process.env), (deployment) =>
    withInstallation(deployment, async (deps) => {
      const { config } = deps;
      const signing = { signer: await proofSigner(config), retiredKeys: config.retiredSigningKeys };
      const files = bundleOf({ ...deps, ...signing, clock: () => new Date() }, tenant, month);
      for await (const { path, text } of files) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text, { flag: 'wx' });
      }
    }),
  );
  print({ json: { folder }, text: `Written: check it with \`tideline verify-bundle ${folder}\`\n` }, undefined);
  return 0;
}

function momentOf(text: string): Date {
  const moment = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(moment.getTime())) return moment;
  throw new UsageError(`--since ${text}: expected a moment such as 2026-01-31T10:00:00Z`);
}

function shown(audits: readonly ChainAudit[], count: number): string {
  const { colors } = terminalOn(process.stdout, process.env['NO_COLOR']);
  const rows = audits.map(({ label, from, to, charges, payments, count: found }) => [
    label,
    `${from} to ${to}`,
    String(charges),
    String(payments),
    String(found),
  ]);
  const seen = table(['chain', 'blocks', 'charges', 'payments', 'differences'], rows);
  if (count === 0) return `${seen}\n${colors.green('No difference')}\n`;
  const differences = audits.flatMap(({ label, differences: list }) =>
    list.map(({ kind, paymentId, chargeKey, txHash, what }) => [
      label,
      kind,
      paymentId ?? '-',
      chargeKey ?? '-',
      txHash ?? '-',
      what,
    ]),
  );
  const found = table(['chain', 'difference', 'payment', 'charge key', 'transaction', 'what'], differences);
  return `${seen}\n${found}\n${colors.red(`${count} ${count === 1 ? 'difference' : 'differences'}`)}\n`;
}
