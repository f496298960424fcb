import { z } from 'zod';
import { answerOrders } from '../answer-orders.ts';

/** The messages to a process that opens cycles, and its answers. */
const claimOrder = z.object({ type: z.enum(['work', 'rest']) });
export type ClaimOrder = z.infer<typeof claimOrder>;
export const claimAnswer = z.object({ troubles: z.array(z.string()) });

/** A part that opens cycles in its own process. */
export interface Opener {
  /** Opens cycles that fall due from now on. The returned function stops it, and resolves when no work is under way. */
  start(): Promise<() => Promise<unknown>>;
  /** Errors since they were last taken out. */
  readonly troubles: string[];
}

/**
 * Answers each `ClaimOrder` with a `claimAnswer`: starts at `work`, stops at `rest`. The process ends with its parent.
 */
export function openOnOrder(opening: Promise<Opener>): void {
  let stop: (() => Promise<unknown>) | null = null;
  answerOrders(claimOrder, async ({ type }) => {
    const { start, troubles } = await opening;
    await stop?.();
    stop = type === 'work' ? await start() : null;
    return { troubles: troubles.splice(0) };
  });
}
