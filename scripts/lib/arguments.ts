import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './script.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The flags of a command line, and what stands between them. Throws a UsageError for a flag that is not among `options`. */
export function readArguments<const O extends Options>(argv: readonly string[], options: O) {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    return { values, positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? firstSentence(error.message) : String(error));
  }
}

/** Throws a UsageError where something stands that no flag or command takes. */
export function requireNothing(rest: readonly string[]): void {
  if (rest.length > 0) throw new UsageError(`Unexpected: ${rest.join(' ')}`);
}

/** Node adds advice about `--` that suits no command here. */
function firstSentence(message: string): string {
  return message.split('. ')[0] ?? message;
}
