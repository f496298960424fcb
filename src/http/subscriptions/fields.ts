import { z } from 'zod';

/** `{subscriptionId}` in a path. */
export const subscriptionParams = z.object({ subscriptionId: z.string().describe('The subscription.') });

const KEYS_MAX = 50;
const BYTES_MAX = 8 * 1024;

/** A flat object of strings, numbers, booleans (docs/rules.md, "Subscriptions"). */
export const customVariables = z
  .record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean()], { error: 'must be a string, a number, true or false' }),
  )
  .refine((map) => Object.keys(map).length <= KEYS_MAX, `must have at most ${KEYS_MAX} keys`)
  .refine((map) => Buffer.byteLength(JSON.stringify(map)) <= BYTES_MAX, `must be at most ${BYTES_MAX} bytes of JSON`);
