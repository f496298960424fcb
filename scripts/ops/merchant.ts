import { choiceOf, integerOf, requireNothing, scriptWith } from '../lib/arguments.ts';
import { UnexpectedStatus, Unreachable } from '../lib/json-request.ts';
import { type Environment, serviceUrl, staffToken } from '../lib/running-service.ts';
import { type Outcome, print, ScriptError, UsageError } from '../lib/script.ts';
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
} from '../lib/staff.ts';
import { printable, table } from '../lib/table.ts';

const usage = `
npm run ops -- merchant create --name NAME
  Make a merchant at a running service, and print {"id", "testKey", "liveKey"} as JSON. The keys are shown only once.
    --name           its name, up to 200 characters
npm run ops -- merchant list [--status active|suspended]
npm run ops -- merchant limits ID --factor N       set its limits, as a multiple of the default: 1 to 10000
npm run ops -- merchant suspend ID                 its keys get 401, and no new charge starts
npm run ops -- merchant reinstate ID               charges that were held back start now
npm run ops -- merchant keys ID --mode test|live   issue another key, shown only once
npm run ops -- merchant invite ID --name NAME [--role viewer|member|admin]
  Invite a person to the merchant's dashboard, and print the link that signs them in once within a week (default role: admin).

With each of them:
    --url            the service (default http://127.0.0.1:PORT; PORT is 3000 by default)
    --json           print the service's answer as JSON, as create always does
    STAFF_TOKEN      your staff token, whose name the journal shows; or STAFF_TOKEN_FILE (default: the service's own file in DATA_DIR, ./data)
With limits, suspend, reinstate, keys and invite, for the staff journal:
    --reason         the reason

Only the JSON on stdout: npm run --silent ops -- merchant create --name NAME
Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

const text = { type: 'string' } as const;

export const merchant = scriptWith({
  usage,
  options: {
    name: text,
    status: text,
    factor: text,
    mode: text,
    role: text,
    reason: text,
    url: text,
    json: { type: 'boolean' },
  },
  takes: 2,
  run: async ({ url, json, ...flags }, [name, id]) => {
    const { takes, prepare } = commandNamed(name);
    const isOfMerchant = takes.includes('reason');
    if (!isOfMerchant) requireNothing(id === undefined ? [] : [id]);
    const other = Object.keys(flags).find((flag) => !takes.some((taken) => taken === flag));
    if (other !== undefined) throw new UsageError(`--${other} is not for ${name}`);
    const send = prepare({ reason: 'on the command line', ...flags }, isOfMerchant ? required(id) : '');
    print(await sent(send, { id, url: serviceUrl(url, process.env) }, process.env), json);
    return 0;
  },
});

interface Flags {
  readonly name?: string;
  readonly status?: string;
  readonly factor?: string;
  readonly mode?: string;
  readonly role?: string;
  /** For the staff journal. */
  readonly reason: string;
}

type Send = (api: StaffApi) => Promise<Outcome>;

interface Command {
  /** The flags that the command uses; any other is an error. One with a reason is about a merchant, with its id. */
  readonly takes: readonly (keyof Flags)[];
  /** Throws a UsageError for a missing or wrong flag. */
  readonly prepare: (flags: Flags, id: string) => Send;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  create: {
    takes: ['name'],
    prepare: ({ name }) => {
      const called = nameIn(name, '--name is missing');
      return async (api) => {
        const made = await createMerchant(api, called);
        return { json: made, text: `${JSON.stringify(made, null, 2)}\n` };
      };
    },
  },
  list: {
    takes: ['status'],
    prepare: ({ status }) => {
      const only = status === undefined ? undefined : choiceOf('--status', status, ['active', 'suspended']);
      return async (api) => {
        const merchants = await listMerchants(api, only);
        return { json: { merchants }, text: merchants.length === 0 ? 'No merchants.\n' : rowsOf(merchants) };
      };
    },
  },
  limits: {
    takes: ['factor', 'reason'],
    prepare: ({ factor, reason }, id) => {
      if (factor === undefined) throw new UsageError('--factor is missing');
      const limitFactor = integerOf('--factor', factor, 1, 10_000);
      return async (api) => {
        const changed = await setLimitFactor(api, id, limitFactor, reason);
        return { json: changed, text: `${called(changed)}: limits x ${changed.limitFactor}\n` };
      };
    },
  },
  suspend: { takes: ['reason'], prepare: statusChange(suspendMerchant) },
  reinstate: { takes: ['reason'], prepare: statusChange(reinstateMerchant) },
  keys: {
    takes: ['mode', 'reason'],
    prepare: ({ mode, reason }, id) => {
      const chosen = choiceOf('--mode', mode, ['test', 'live']);
      return async (api) => {
        const issued = await issueKey(api, id, chosen, reason);
        const kind = issued.mode === 'test' ? 'Test' : 'Live';
        return { json: issued, text: `${kind} key  ${issued.key}  (id ${issued.id}; shown only now)\n` };
      };
    },
  },
  invite: {
    takes: ['name', 'role', 'reason'],
    prepare: ({ name, role = 'admin', reason }, id) => {
      const person = {
        name: nameIn(name, '--name is missing: the name of the person'),
        role: choiceOf('--role', role, ['viewer', 'member', 'admin']),
      };
      return async (api) => {
        const invited = await inviteMember(api, id, person, reason);
        const until = invited.expiresAt.slice(0, 10);
        const who = `${printable(invited.name)} (${invited.role})`;
        return { json: invited, text: `${who} opens this link once, until ${until}:\n${invited.url}\n` };
      };
    },
  },
};

function commandNamed(name: string | undefined): Command {
  const expected = `expected ${Object.keys(COMMANDS).join(', ')}`;
  if (name === undefined) throw new UsageError(`A command is missing: ${expected}`);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(`There is no command ${name}: ${expected}`);
  return command;
}

function statusChange(change: typeof suspendMerchant): Command['prepare'] {
  return ({ reason }, id) =>
    async (api) => {
      const changed = await change(api, id, reason);
      return { json: changed, text: `${called(changed)}: ${changed.status}\n` };
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

function called({ id, name }: StaffMerchant): string {
  return `${id} (${printable(name)})`;
}

function nameIn(name: string | undefined, missing: string): string {
  if (name === undefined || name.trim() === '') throw new UsageError(missing);
  return name;
}

function required(id: string | undefined): string {
  if (id === undefined) throw new UsageError("A merchant's id is missing: expected mrc_…");
  if (!id.startsWith('mrc_')) throw new UsageError(`${id} is no merchant's id: expected mrc_…`);
  return id;
}

interface Target {
  readonly url: string;
  readonly id: string | undefined;
}

async function sent(send: Send, target: Target, environment: Environment): Promise<Outcome> {
  const { url } = target;
  const { token, from } = staffToken(environment);
  try {
    return await send({ url, token });
  } catch (error) {
    throw explained(error, target, from);
  }
}

/** The errors of the staff API in words for the user of the command. */
function explained(error: unknown, { url, id }: Target, tokenFrom: string): unknown {
  if (error instanceof Unreachable) {
    return new ScriptError(`${error.message}\nStart the service with npm start, or name its URL with --url.`);
  }
  if (!(error instanceof UnexpectedStatus)) return error;
  switch (error.status) {
    case 400:
    case 409:
      return new ScriptError(`The service refuses it: ${error.answer}`);
    case 401:
      return new ScriptError(`The service at ${url} does not know this staff token, which is from ${tokenFrom}.`);
    case 404:
      return new ScriptError(notThere(url, id));
    default:
      return error;
  }
}

/** The staff API gives one answer for an unknown merchant and for missing staff access. */
function notThere(url: string, id: string | undefined): string {
  if (id === undefined) return `There is no staff access at ${url}: it is not Tideline, or runs without STAFF_TOKEN.`;
  return `There is no merchant ${id} at ${url}; or there is no staff access: it is not Tideline, or runs without STAFF_TOKEN.`;
}
