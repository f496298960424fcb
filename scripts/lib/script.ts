import { messageOf } from '../../src/errors/message-of.ts';
import { DevnetError } from '../../src/service/devnet-error.ts';

/** What was asked for is not understood: printed with the usage, exit 2. */
export class UsageError extends Error {}

/** Something that a person can do something about: printed as it stands, without a stack, exit 1. */
export class ScriptError extends Error {}

export interface Script {
  /** Shown by `--help`, and after a {@link UsageError}. */
  readonly usage: string;
  /** @returns the exit code */
  readonly main: (argv: readonly string[]) => Promise<number>;
}

/**
 * Runs a script to its end and sets the exit code: what `main` returns, 2 for a {@link UsageError}, 1 for every other
 * error. Nothing but results goes to stdout; errors and the usage that follows them go to stderr.
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
    process.stderr.write(`${error.message}\n\n${usage.trim()}\n`);
    return 2;
  }
  const isForPeople = error instanceof ScriptError || error instanceof DevnetError || !(error instanceof Error);
  process.stderr.write(`${isForPeople ? messageOf(error) : (error.stack ?? error.message)}\n`);
  return 1;
}
