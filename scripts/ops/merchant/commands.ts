import { unknownCase } from '../../../machines/unknown-case.ts';
import { UsageError } from '../../lib/script.ts';
import {
  createMerchant,
  inviteMember,
  issueKey,
  listMerchants,
  reinstateMerchant,
  type StaffApi,
  type StaffMerchant,
  setLimitFactor,
  suspendMerchant,
} from '../../lib/staff.ts';
import { printable, table } from '../../lib/table.ts';

/** The flags of all commands. */
export interface Flags {
  readonly name?: string;
  readonly status?: string;
  readonly factor?: string;
  readonly mode?: string;
  readonly role?: string;
  readonly reason?: string;
}

/** The service's answer, as JSON and as text for people. */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
}

/** A checked command, ready to send. */
export interface Order {
  /** The flags that the command uses; any other is an error. */
  readonly takes: readonly (keyof Flags)[];
  readonly send: (api: StaffApi) => Promise<Outcome>;
}

export const COMMANDS = ['create', 'list', 'limits', 'suspend', 'reinstate', 'keys', 'invite'] as const;
export type Command = (typeof COMMANDS)[number];

/** The reason in the staff journal if none is given. */
const NO_REASON = 'on the command line';
const FACTOR_MAX = 10_000;

/** Throws a UsageError for a missing or wrong flag. */
export function orderOf(command: Command, id: string | undefined, flags: Flags): Order {
  switch (command) {
    case 'create':
      return create(flags);
    case 'list':
      return list(flags);
    case 'limits':
      return limits(required(id), flags);
    case 'suspend':
      return statusChange(required(id), flags, suspendMerchant);
    case 'reinstate':
      return statusChange(required(id), flags, reinstateMerchant);
    case 'keys':
      return keys(required(id), flags);
    case 'invite':
      return invite(required(id), flags);
    default:
      return unknownCase(command, 'command');
  }
}

/** True if the command needs a merchant's id. */
export function takesId(command: Command): boolean {
  return command !== 'create' && command !== 'list';
}

function create({ name }: Flags): Order {
  if (name === undefined || name.trim() === '') throw new UsageError('--name is missing');
  return {
    takes: ['name'],
    send: async (api) => {
      const made = await createMerchant(api, name);
      return { json: made, text: `${JSON.stringify(made, null, 2)}\n` };
    },
  };
}

function list({ status }: Flags): Order {
  if (status !== undefined && status !== 'active' && status !== 'suspended') {
    throw new UsageError(`--status ${status}: expected active or suspended`);
  }
  return {
    takes: ['status'],
    send: async (api) => {
      const merchants = await listMerchants(api, status);
      return { json: { merchants }, text: merchants.length === 0 ? 'No merchants.\n' : rowsOf(merchants) };
    },
  };
}

function rowsOf(merchants: readonly StaffMerchant[]): string {
  return table(
    ['ID', 'NAME', 'STATUS', 'FEE', 'LIMITS', 'SINCE'],
    merchants.map(({ id, name, status, feeBps, limitFactor, createdAt }) => [
      id,
      name,
      status,
      `${feeBps / 100} %`,
      `x ${limitFactor}`,
      createdAt.slice(0, 10),
    ]),
  );
}

function limits(id: string, { factor, reason = NO_REASON }: Flags): Order {
  if (factor === undefined) throw new UsageError('--factor is missing');
  const limitFactor = /^\d{1,5}$/.test(factor) ? Number(factor) : 0;
  if (limitFactor < 1 || limitFactor > FACTOR_MAX) {
    throw new UsageError(`--factor ${factor}: expected a whole number from 1 to ${FACTOR_MAX}`);
  }
  return {
    takes: ['factor', 'reason'],
    send: async (api) => {
      const merchant = await setLimitFactor(api, id, limitFactor, reason);
      return { json: merchant, text: `${called(merchant)}: limits x ${merchant.limitFactor}\n` };
    },
  };
}

function statusChange(id: string, { reason = NO_REASON }: Flags, change: typeof suspendMerchant): Order {
  return {
    takes: ['reason'],
    send: async (api) => {
      const merchant = await change(api, id, reason);
      return { json: merchant, text: `${called(merchant)}: ${merchant.status}\n` };
    },
  };
}

function keys(id: string, { mode, reason = NO_REASON }: Flags): Order {
  if (mode === undefined) throw new UsageError('--mode is missing: expected test or live');
  if (mode !== 'test' && mode !== 'live') throw new UsageError(`--mode ${mode}: expected test or live`);
  return {
    takes: ['mode', 'reason'],
    send: async (api) => {
      const issued = await issueKey(api, id, mode, reason);
      const line = `${issued.mode} key  ${issued.key}  (id ${issued.id}; shown only now)\n`;
      return { json: issued, text: `${line.charAt(0).toUpperCase()}${line.slice(1)}` };
    },
  };
}

function invite(id: string, { name, role = 'admin', reason = NO_REASON }: Flags): Order {
  if (name === undefined || name.trim() === '') throw new UsageError('--name is missing: the name of the person');
  if (role !== 'viewer' && role !== 'member' && role !== 'admin') {
    throw new UsageError(`--role ${role}: expected viewer, member or admin`);
  }
  return {
    takes: ['name', 'role', 'reason'],
    send: async (api) => {
      const invited = await inviteMember(api, id, { name, role }, reason);
      const until = invited.expiresAt.slice(0, 10);
      const text = `${printable(invited.name)} (${invited.role}) opens this link once, until ${until}:\n${invited.url}\n`;
      return { json: invited, text };
    },
  };
}

function called({ id, name }: StaffMerchant): string {
  return `${id} (${printable(name)})`;
}

function required(id: string | undefined): string {
  if (id === undefined) throw new UsageError("A merchant's id is missing: expected mrc_…");
  if (!id.startsWith('mrc_')) throw new UsageError(`${id} is no merchant's id: expected mrc_…`);
  return id;
}
