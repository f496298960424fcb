import { UnexpectedStatus, Unreachable } from '../lib/json-request.ts';
import { serviceUrl, staffToken } from '../lib/running-service.ts';
import { choiceOf, type Outcome, print, requireNothing, ScriptError, scriptWith, UsageError } from '../lib/script.ts';
import { createMerchant, inviteMember, type StaffApi } from '../lib/staff.ts';
import { printable } from '../lib/terminal.ts';

const usage = `
npm run ops -- merchant create --name NAME
  Make a merchant at a running service, and print {"id", "testKey", "liveKey"} as JSON. The keys are shown only once.
    --name           its name, up to 200 characters
npm run ops -- merchant invite ID --name NAME [--role viewer|member|admin]
  Invite a person to the merchant's dashboard, and print the link that signs them in once within a week (default role: admin).
    --reason         the reason, for the staff journal
    --json           print the service's answer as JSON, as create always does

With both of them:
    --url            the service (default http://127.0.0.1:PORT; PORT is 3000 by default)
    STAFF_TOKEN      your staff token, whose name the journal shows; or STAFF_TOKEN_FILE (default: the service's own file in DATA_DIR, ./data)

Only the JSON on stdout: npm run --silent ops -- merchant create --name NAME
The staff console and the staff API list merchants, suspend them, set their limits and issue keys.
Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

const text = { type: 'string' } as const;

export const merchant = scriptWith({
  usage,
  options: { name: text, role: text, reason: text, url: text, json: { type: 'boolean' } },
  takes: 2,
  run: async ({ url: given, json, ...flags }, [command, id]) => {
    const send = requestOf(command, id, flags);
    const url = serviceUrl(given, process.env);
    const { token, from } = staffToken(process.env);
    const done = await send({ url, token }).catch((error: unknown) => {
      throw explained(error, { url, id, from });
    });
    print(done, json);
    return 0;
  },
});

interface Flags {
  readonly name?: string;
  readonly role?: string;
  readonly reason?: string;
}

type Send = (api: StaffApi) => Promise<Outcome>;

/** Throws a UsageError for an unknown command, and for a missing or wrong argument. */
function requestOf(command: string | undefined, id: string | undefined, flags: Flags): Send {
  switch (command) {
    case 'create':
      requireNothing(id === undefined ? [] : [id]);
      return create(flags);
    case 'invite':
      return invite(required(id), flags);
    default:
      throw new UsageError(
        `${command === undefined ? 'A command is missing' : `There is no command ${command}`}: expected create, invite`,
      );
  }
}

function create({ name, role, reason }: Flags): Send {
  if (role !== undefined) throw new UsageError('--role is not for create');
  if (reason !== undefined) throw new UsageError('--reason is not for create');
  const called = nameIn(name, '--name is missing');
  return async (api) => {
    const made = await createMerchant(api, called);
    return { json: made, text: `${JSON.stringify(made, null, 2)}\n` };
  };
}

function invite(id: string, { name, role = 'admin', reason = 'on the command line' }: Flags): Send {
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

/** `from`: the source of the token. */
interface Call {
  readonly url: string;
  readonly id: string | undefined;
  readonly from: string;
}

/** The errors of the staff API in words for the user of the command. */
function explained(error: unknown, { url, id, from }: Call): unknown {
  if (error instanceof Unreachable) {
    return new ScriptError(`${error.message}\nStart the service with npm start, or name its URL with --url.`);
  }
  if (!(error instanceof UnexpectedStatus)) return error;
  switch (error.status) {
    case 400:
    case 409:
      return new ScriptError(`The service refuses it: ${error.answer}`);
    case 401:
      return new ScriptError(`The service at ${url} does not know this staff token, which is from ${from}.`);
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
