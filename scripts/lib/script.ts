import { type ParseArgsConfig, parseArgs } from 'node:util';
import { Fault } from '../../src/errors/fault.ts';
import { messageOf } from '../../src/errors/message-of.ts';
import { sourceStack } from '../../src/observability/source-stack.ts';
import { DevnetError } from '../../src/service/devnet-error.ts';

/** The arguments are wrong: the message is printed after the usage, where people read first; exit code 2. */
export class UsageError extends Error {}

/** A failure that a person can act on: the message is printed without a stack, exit code 1. */
export class ScriptError extends Error {}

export interface Script {
  /** Shown by `--help`, and before the message of a {@link UsageError}. */
  readonly usage: string;
  /** @returns the exit code */
  readonly main: (argv: readonly string[]) => Promise<number>;
}

/** The result of a command, as JSON and as text for people. */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
}

export function print({ json, text }: Outcome, asJson = false): void {
  process.stdout.write(asJson ? `${JSON.stringify(json, null, 2)}\n` : text);
}

/**
 * Runs a script and sets the exit code: the result of `main`, 2 for a {@link UsageError}, 1 for every other error. Only
 * results go to stdout; errors and usage go to stderr.
 */
export async function runScript({ usage, main }: Script, argv: readonly string[]): Promise<void> {
  try {
    process.exitCode = asksForHelp(argv) ? showUsage(usage) : await main(argv);
  } catch (error) {
    process.exitCode = showError(error, usage);
  }
}

function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h') || argv[0] === 'help';
}

function showUsage(usage: string): number {
  process.stdout.write(`${usage.trim()}\n`);
  return 0;
}

function showError(error: unknown, usage: string): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${usage.trim()}\n\n${error.message}\n`);
    return 2;
  }
  const isRefusal = error instanceof Fault && error.code !== 'internal';
  const isForPeople =
    error instanceof ScriptError || error instanceof DevnetError || isRefusal || !(error instanceof Error);
  process.stderr.write(`${isForPeople ? messageOf(error) : sourceStack(error.stack ?? error.message)}\n`);
  return 1;
}

type Options = NonNullable<ParseArgsConfig['options']>;
type Flags<O extends Options> = ReturnType<typeof readArguments<O>>['values'];

interface ScriptWithFlags<O extends Options> {
  readonly usage: string;
  readonly options: O;
  /** The most arguments that it takes beside its flags; absent: none. */
  readonly takes?: number;
  /** @returns the exit code */
  readonly run: (flags: Flags<O>, words: readonly string[]) => Promise<number>;
}

/** A script that refuses unknown flags, and arguments that it does not take. */
export function scriptWith<const O extends Options>({ usage, options, takes = 0, run }: ScriptWithFlags<O>): Script {
  return {
    usage,
    main: async (argv) => {
      const { values, positionals } = readArguments(argv, options);
      requireNothing(positionals.slice(takes));
      return run(values, positionals);
    },
  };
}

/** The flags and other arguments of a command line. Throws a UsageError for a flag that is not among `options`. */
export function readArguments<const O extends Options>(argv: readonly string[], options: O) {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    return { values, positionals };
  } catch (error) {
    throw new UsageError(firstSentence(messageOf(error)));
  }
}

/** Throws a UsageError if arguments are left that no flag or command uses. */
export function requireNothing(rest: readonly string[]): void {
  if (rest.length > 0) throw new UsageError(`Unexpected: ${rest.join(' ')}`);
}

/** The value of the flag `name` in decimal digits. Throws a UsageError unless it is from `least` to `most`. */
export function integerOf(name: string, text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${name} ${text}: expected an integer from ${least} to ${most}`);
}

/** The value of the flag `name`. Throws a UsageError if it is missing or not one of `choices`. */
export function choiceOf<const C extends string>(name: string, text: string | undefined, choices: readonly C[]): C {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const expected = `expected ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  throw new UsageError(text === undefined ? `${name} is missing: ${expected}` : `${name} ${text}: ${expected}`);
}

/** The rest of Node's message is advice about `--` that fits no command here. */
function firstSentence(message: string): string {
  return message.split('. ')[0] ?? message;
}
