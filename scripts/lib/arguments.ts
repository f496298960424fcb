import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../../src/errors/message-of.ts';
import { UsageError } from './script.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

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

/**
 * The value of the flag `name` as a whole number in decimal digits. Throws a UsageError unless it is from `least` to
 * `most`.
 */
export function integerOf(name: string, text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${name} ${text}: expected an integer from ${least} to ${most}`);
}

/** The rest of Node's message is advice about `--` that fits no command here. */
function firstSentence(message: string): string {
  return message.split('. ')[0] ?? message;
}
