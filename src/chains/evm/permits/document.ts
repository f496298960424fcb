import type { PermitDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import type { EvmContext } from '../context.ts';

/** An ended permit is kept as long as the sessions and links that show it. */
const REMEMBERED_MS = 60 * 24 * 3_600_000;

/** The time at which a permit that ends now is deleted. */
export function purgeAtOf(ctx: Pick<EvmContext, 'clock'>): Date {
  return later(ctx, REMEMBERED_MS);
}

/** The condition that nobody has changed the permit since it was read. */
export function asSeen({ state, transactionId, notBefore }: PermitDoc) {
  return { state, transactionId, notBefore };
}
