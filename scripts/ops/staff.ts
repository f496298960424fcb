import { addStaffToken, listStaffTokens, revokeStaffToken } from '../../src/billing/administration/staff-tokens.ts';
import { Fault } from '../../src/errors/fault.ts';
import type { StaffRole, StaffTokenDoc } from '../../src/store/collections.ts';
import type { Store } from '../../src/store/port.ts';
import { withStore } from '../lib/installation.ts';
import { choiceOf, type Outcome, print, requireNothing, ScriptError, scriptWith, UsageError } from '../lib/script.ts';
import { table } from '../lib/terminal.ts';

const usage = `
npm run ops -- staff add NAME --role read|act|admin  issue a token for a member of the staff, shown only once
npm run ops -- staff list                          list all tokens, old ones included
npm run ops -- staff revoke NAME                   end the token and the sessions that it has opened
    --json           print JSON
    MONGODB_URI      the database (default: the embedded one of DATA_DIR, ./data, with or without a running service)

The role read sees everything. act also sends the API's own events, with a reason. admin also administers merchants: keys, wallets,
fees, limits and suspension, and sends a held deposit to any address.
Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

type Work = (store: Store) => Promise<Outcome>;

export const staff = scriptWith({
  usage,
  options: { role: { type: 'string' }, json: { type: 'boolean' } },
  takes: 2,
  run: async ({ role, json }, [command, name]) => {
    const work = workOf(command, name, role);
    print(await withStore(process.env, work).catch(explain), json);
    return 0;
  },
});

function workOf(command: string | undefined, name: string | undefined, role: string | undefined): Work {
  if (role !== undefined && command !== 'add') throw new UsageError(`--role is not for ${command ?? 'nothing'}`);
  switch (command) {
    case 'add':
      return add(required(name), choiceOf('--role', role, ['read', 'act', 'admin']));
    case 'list':
      requireNothing(name === undefined ? [] : [name]);
      return list;
    case 'revoke':
      return revoke(required(name));
    default:
      throw new UsageError(
        `${command === undefined ? 'A command is missing' : `There is no command ${command}`}: expected add, list, revoke`,
      );
  }
}

function add(name: string, role: StaffRole): Work {
  return async ({ records }) => {
    const token = await addStaffToken(records, { name, role, now: new Date() });
    return { json: { name, role, token }, text: `${token}\n(${name}, ${role}; shown only now)\n` };
  };
}

const list: Work = async ({ records }) => {
  const tokens = await listStaffTokens(records);
  const rows = tokens.map((token) => [
    token.name,
    token.role,
    `…${token.hint}`,
    dayOf(token.createdAt),
    statusOf(token),
  ]);
  const text = rows.length === 0 ? 'No tokens.\n' : table(['NAME', 'ROLE', 'TOKEN', 'SINCE', 'STATUS'], rows);
  return { json: { tokens: tokens.map(shown) }, text };
};

function revoke(name: string): Work {
  return async ({ records }) => {
    const token = await revokeStaffToken(records, name, new Date());
    return { json: { name, role: token.role, revokedAt: token.revokedAt }, text: `${name}: revoked\n` };
  };
}

function shown(token: StaffTokenDoc) {
  const { _id: _, inForce: __, ...others } = token;
  return others;
}

function statusOf({ revokedAt }: StaffTokenDoc): string {
  return revokedAt === null ? 'in force' : `revoked ${dayOf(revokedAt)}`;
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function required(name: string | undefined): string {
  if (name === undefined || name.trim() === '') throw new UsageError('NAME is missing');
  return name;
}

function explain(error: unknown): never {
  if (!(error instanceof Fault)) throw error;
  throw new ScriptError(error.code === 'not_found' ? 'There is no token of that name in force' : error.message);
}
