import type { ChargeDoc, ChargeState } from '../../store/collections.ts';
import { ofKey } from '../charges.ts';
import type { ChainContext } from '../context.ts';
import { postpone } from './postpone.ts';
import { withdraw } from './start.ts';

/** An attempt that nobody wants, of a charge that nobody follows, rests so long before it is checked again. */
const UNWANTED_REST_MS = 60_000;

/** Where an attempt stands that is in a transaction, or about to be. */
const FOLLOWED = ['started', 'sent', 'mined', 'final'] as const satisfies readonly ChargeState[];

/**
 * Asks the payments of charges that are on the chain already whether they want these attempts, and returns those that they
 * do. One that its payment has left behind is over where another attempt of the same key is followed: it was refused, and
 * nobody could note that. Where none is, something has been taken that no payment knows of: it stays open and shows under
 * trouble. One that cannot be asked about rests.
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
  const sentence = `charge ${_id} has been made before, and its payment does not want it`;
  if (troubles.set(`seen:${key}`, sentence)) log.error({ chainId, chargeId: _id }, sentence);
  await postpone(ctx, [charge], UNWANTED_REST_MS);
}
