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

/** Prints a result on stdout, in one of its forms. */
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
  const isForPeople = error instanceof ScriptError || error instanceof DevnetError || !(error instanceof Error);
  process.stderr.write(`${isForPeople ? messageOf(error) : sourceStack(error.stack ?? error.message)}\n`);
  return 1;
}
