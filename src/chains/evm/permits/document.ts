import type { PermitDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import type { EvmContext } from '../context.ts';

/** What has ended is remembered as long as the sessions and links that show it. */
const REMEMBERED_MS = 60 * 24 * 3_600_000;

/** When a permit that has ended now is forgotten. */
export function purgeAtOf(ctx: Pick<EvmContext, 'clock'>): Date {
  return later(ctx, REMEMBERED_MS);
}

/** That nobody has touched the permit since it was read. */
export function asSeen({ state, transactionId, notBefore }: PermitDoc) {
  return { state, transactionId, notBefore };
}
