import type { z } from 'zod';
import { invalid } from '../../errors/fault.ts';

/** Throws 400 with the first problem only (reference, section 7), such as `limit must be between 1 and 100`. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: describe });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw invalid(issue === undefined ? 'the request is invalid' : `${fieldName(issue.path)} ${issue.message}`);
}

/** `['pricing', 0, 'amount']` → `pricing[0].amount`; the root is the body. */
function fieldName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'body';
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      return index === 0 ? String(part) : `.${String(part)}`;
    })
    .join('');
}

const UNEXPECTED = 'is not of the expected form';

/** The rule of a field, for schemas without their own text. */
function describe(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be ${listed(issue.values)}`;
    case 'too_small':
      return sized(issue.origin, 'at least', issue.minimum);
    case 'too_big':
      return sized(issue.origin, 'at most', issue.maximum);
    case 'invalid_key':
      return issue.issues[0]?.message ?? UNEXPECTED;
    default:
      return UNEXPECTED;
  }
}

const KINDS: { readonly [type: string]: string } = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'a JSON object',
  record: 'a JSON object',
};

const UNITS: { readonly [origin: string]: string } = { string: ' characters long', array: ' items long' };

function sized(origin: string, bound: string, size: number | bigint): string {
  return `must be ${bound} ${size}${UNITS[origin] ?? ''}`;
}

function listed(values: readonly unknown[]): string {
  if (values.length === 1) return String(values[0]);
  return `one of ${values.map(String).join(', ')}`;
}
