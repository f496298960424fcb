import { readArguments, requireNothing } from './lib/arguments.ts';
import { UnexpectedStatus, Unreachable } from './lib/json-request.ts';
import { type Environment, serviceUrl, staffToken } from './lib/running-service.ts';
import { runScript, ScriptError, UsageError } from './lib/script.ts';
import { createMerchant, type MadeMerchant } from './lib/staff.ts';

const usage = `
npm run merchant -- create --name NAME [--url URL]
  Make a merchant at a running service, and print {"id", "testKey", "liveKey"} as JSON. The keys are shown this once.
    --name           what people call it, up to 200 characters
    --url            the service; else http://127.0.0.1:PORT, and 3000 where PORT is not set
    STAFF_TOKEN      the staff token; or STAFF_TOKEN_FILE. Else the one that the service keeps in DATA_DIR (./data)

With nothing but the JSON on stdout: npm run --silent merchant -- create --name NAME
Exit codes: 0 done, 1 not done, 2 not understood.
`;

async function main(argv: readonly string[], environment: Environment): Promise<number> {
  const { values, positionals } = readArguments(argv, { name: { type: 'string' }, url: { type: 'string' } });
  const [command, ...rest] = positionals;
  if (command === undefined) throw new UsageError('A command is missing: expected create');
  if (command !== 'create') throw new UsageError(`There is no command ${command}: expected create`);
  requireNothing(rest);
  if (values.name === undefined || values.name.trim() === '') throw new UsageError('--name is missing');
  const made = await create(values.name, serviceUrl(values.url, environment), environment);
  process.stdout.write(`${JSON.stringify(made, null, 2)}\n`);
  return 0;
}

async function create(name: string, url: string, environment: Environment): Promise<MadeMerchant> {
  const { token, from } = staffToken(environment);
  try {
    return await createMerchant({ url, token }, name);
  } catch (error) {
    throw explained(error, url, from);
  }
}

/** What the statuses of the staff API mean to whoever sits before the terminal. */
function explained(error: unknown, url: string, tokenFrom: string): unknown {
  if (error instanceof Unreachable) {
    return new ScriptError(`${error.message}\nStart the service with npm start, or say where it is with --url.`);
  }
  if (!(error instanceof UnexpectedStatus)) return error;
  if (error.status === 401) {
    return new ScriptError(`The service at ${url} does not know this staff token, which is from ${tokenFrom}.`);
  }
  if (error.status === 400) return new ScriptError(`The service refuses it: ${error.said}`);
  if (error.status === 404) {
    return new ScriptError(`There is no staff access at ${url}: it is no Tideline, or runs without STAFF_TOKEN.`);
  }
  return error;
}

await runScript({ usage, main: (argv) => main(argv, process.env) }, process.argv.slice(2));
