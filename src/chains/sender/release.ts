import type { ChargeDoc } from '../../store/collections.ts';
import type { ChainContext } from '../context.ts';
import { postpone } from './postpone.ts';

/**
 * Charges of a transaction that can never land: their payments hear that they wait again, and they do. A crash in between
 * repeats the telling.
 * @throws what the listener throws when it is not certain
 */
export async function release(ctx: ChainContext, charges: readonly ChargeDoc[]): Promise<void> {
  if (charges.length === 0) return;
  await ctx.listener.tell(charges.map((charge) => ({ charge, fact: { kind: 'released' } })));
  await postpone(ctx, charges, ctx.timing.postponeMs);
}
