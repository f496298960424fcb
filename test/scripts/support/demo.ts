import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { processesOf } from '../../devnet/support/processes.ts';

/** The output of `npm run demo -- --json`. */
export const outcome = z.object({
  story: z.string(),
  ok: z.boolean(),
  failure: z.unknown(),
  expectationsHeld: z.int(),
  durationMs: z.int(),
  timeline: z.array(
    z.object({ at: z.iso.datetime(), what: z.string(), status: z.string().optional(), txHash: z.string().optional() }),
  ),
  webhooks: z.array(
    z.object({
      id: z.string(),
      event: z.string(),
      resource: z.string(),
      sequence: z.int(),
      reason: z.string().optional(),
    }),
  ),
  attempts: z.array(
    z.object({
      stolen: z.string(),
      victim: z.string(),
      answer: z.string(),
      transfers: z.array(z.object({ to: z.string(), value: z.string(), txHash: z.string() })),
    }),
  ),
  ledger: z.array(
    z.object({ name: z.string(), before: z.string(), after: z.string(), moved: z.string(), claimed: z.string() }),
  ),
});

/** The files of the demo and its processes, without the cache of the TypeScript loader. */
export async function leftoversIn(temporary: string): Promise<string[]> {
  const files = (await readdir(temporary)).filter((name) => !name.startsWith('tsx-'));
  return [...files, ...(await processesOf(temporary)).map(({ command }) => command)];
}
