import type { z } from 'zod';

/**
 * Answers each order of the parent process (`child.ts`) with the result of `work`. This process ends with its parent.
 */
export function answerOrders<T>(order: z.ZodType<T>, work: (order: T) => Promise<object>): void {
  process.on('message', (message) => {
    void work(order.parse(message)).then((answer) => process.send?.(answer));
  });
  process.once('disconnect', () => process.exit());
}
