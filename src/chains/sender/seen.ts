import type { ChargeDoc, ChargeState } from '../../store/collections.ts';
import { ofKey } from '../charges.ts';
import type { ChainContext } from '../context.ts';
import { postpone } from './postpone.ts';
import { withdraw } from './start.ts';

/** The pause before the next check of an unwanted attempt, if no attempt of its key is followed. */
const UNWANTED_REST_MS = 60_000;

/** The states of an attempt that is in a transaction, or about to be. */
const FOLLOWED = ['started', 'sent', 'mined', 'final'] as const satisfies readonly ChargeState[];

/**
 * For charges that are already on the chain. Asks their payments whether they want these attempts, and returns the
 * wanted ones. An unwanted attempt ends if another attempt of its key is followed: it was refused, and nobody could
 * note that. If none is followed, the chain took money that no payment knows of: the attempt stays open, and shows as
 * trouble. An attempt whose payment gives no answer waits.
 */
export async function wantedOf(ctx: ChainContext, seen: readonly ChargeDoc[]): Promise<ChargeDoc[]> {
  const answers = await ctx.listener.start(seen);
  const held = seen.filter(({ _id }) => !answers.has(_id));
  if (held.length > 0) await postpone(ctx, held, ctx.timing.postponeMs);
  for (const charge of seen) if (answers.get(charge._id) === 'withdrawn') await endUnwanted(ctx, charge);
  return seen.filter(({ _id }) => answers.get(_id) === 'go');
}

async function endUnwanted(ctx: ChainContext, charge: ChargeDoc): Promise<void> {
  const { _id, key } = charge;
  const { chainId, log, records, troubles } = ctx;
  const followed = await records.find('charges', { where: { ...ofKey(key), state: { in: FOLLOWED } }, limit: 2 });
  if (followed.some((other) => other._id !== _id)) {
    await withdraw(ctx, [charge]);
    troubles.set(`seen:${key}`, null);
    return;
  }
  const sentence = `charge ${_id} is already on the chain, but its payment does not want it; it is checked again every minute`;
  if (troubles.set(`seen:${key}`, sentence)) log.error({ chainId, chargeId: _id }, sentence);
  await postpone(ctx, [charge], UNWANTED_REST_MS);
}
