import { once } from 'node:events';
import { start } from 'node:repl';
import { createContext, Script as Evaluation } from 'node:vm';
import { errorOf } from '../../src/errors/message-of.ts';
import { scriptWith } from '../lib/arguments.ts';
import { UsageError } from '../lib/script.ts';
import { withStore } from '../lib/stored.ts';
import { type Commands, commandsOn, HELP } from './repl/commands.ts';

const usage = `
npm run ops -- repl [--eval EXPRESSION]
  Read a service's stored data, and try events on it in memory. Changes nothing.
${HELP}
    --eval           evaluate and await one expression, and print it as JSON
    MONGODB_URI      the database (default: the embedded one of DATA_DIR, ./data, with or without a running service)

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

export const repl = scriptWith({
  usage,
  options: { eval: { type: 'string' } },
  run: async ({ eval: expression }) => {
    const script = expression === undefined ? null : scriptOf(expression);
    await withStore(process.env, async (store) => {
      const commands = commandsOn(store, () => new Date());
      if (script) process.stdout.write(`${jsonOf(await script.runInContext(createContext({ ...commands })))}\n`);
      else await converse(commands);
    });
    return 0;
  },
});

function scriptOf(expression: string): Evaluation {
  try {
    return new Evaluation(`(async () => (${expression}\n))()`, { filename: 'eval' });
  } catch (error) {
    throw new UsageError(`--eval: ${String(error)}`);
  }
}

/** Reads, evaluates and prints until its input ends. Promises are awaited. */
async function converse(commands: Commands): Promise<void> {
  process.stdout.write(`${HELP}\n`);
  const server = start({ prompt: 'tideline> ' });
  const asked = server.eval;
  let last: Promise<unknown> = Promise.resolve();
  const waiting: typeof asked = (code, context, file, done) =>
    asked.call(server, code, context, file, (error, value) => {
      last = Promise.resolve(value).then(
        (result) => done(error, result),
        (failure: unknown) => done(errorOf(failure), undefined),
      );
    });
  Object.assign(server, { eval: waiting });
  Object.assign(server.context, commands);
  await once(server, 'exit');
  await last;
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each), 2) ?? 'null';
}
