import { readArguments, requireNothing } from '../lib/arguments.ts';
import { UnexpectedStatus, Unreachable } from '../lib/json-request.ts';
import { type Environment, serviceUrl, staffToken } from '../lib/running-service.ts';
import { type Script, ScriptError, UsageError } from '../lib/script.ts';
import { COMMANDS, type Command, type Flags, type Order, type Outcome, orderOf, takesId } from './merchant/commands.ts';

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
    STAFF_TOKEN      the staff token; or STAFF_TOKEN_FILE (default: the service's own file in DATA_DIR, ./data)
With limits, suspend, reinstate, keys and invite, for the staff journal:
    --reason         the reason
    --as             your name

Only the JSON on stdout: npm run --silent ops -- merchant create --name NAME
Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

const text = { type: 'string' } as const;
const OPTIONS = {
  name: text,
  status: text,
  factor: text,
  mode: text,
  role: text,
  reason: text,
  as: text,
  url: text,
  json: { type: 'boolean' },
} as const;

async function main(argv: readonly string[], environment: Environment): Promise<number> {
  const { values, positionals } = readArguments(argv, OPTIONS);
  const { as, url, json, ...flags } = values;
  const command = commandOf(positionals[0]);
  const words = positionals.slice(1);
  const id = takesId(command) ? words.shift() : undefined;
  requireNothing(words);
  const order = orderOf(command, id, flags);
  requireTaken(command, order, flags);
  if (as !== undefined && !takesId(command)) throw new UsageError(`--as is not for ${command}, which is not journaled`);
  const outcome = await send(order, { id, as, url: serviceUrl(url, environment) }, environment);
  process.stdout.write(json === true ? `${JSON.stringify(outcome.json, null, 2)}\n` : outcome.text);
  return 0;
}

function commandOf(word: string | undefined): Command {
  const expected = `expected ${COMMANDS.join(', ')}`;
  if (word === undefined) throw new UsageError(`A command is missing: ${expected}`);
  const command = COMMANDS.find((each) => each === word);
  if (command === undefined) throw new UsageError(`There is no command ${word}: ${expected}`);
  return command;
}

function requireTaken(command: Command, { takes }: Order, flags: Flags): void {
  const known: readonly string[] = takes;
  const other = Object.keys(flags).find((flag) => !known.includes(flag));
  if (other !== undefined) throw new UsageError(`--${other} is not for ${command}`);
}

interface Target {
  readonly url: string;
  readonly id: string | undefined;
  readonly as: string | undefined;
}

async function send(order: Order, target: Target, environment: Environment): Promise<Outcome> {
  const { url, as } = target;
  const { token, from } = staffToken(environment);
  try {
    return await order.send({ url, token, ...(as === undefined ? {} : { name: as }) });
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

export const merchant: Script = { usage, main: (argv) => main(argv, process.env) };
