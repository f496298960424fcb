import { messageOf } from '../errors/message-of.ts';
import type { ChargeDoc } from '../store/collections.ts';
import type { ChainContext } from './context.ts';
import type { ChargeFact, ReportedFact } from './port.ts';

/** Facts for the payment of one charge, in this order. */
export interface ChargeNotice {
  readonly charge: ChargeDoc;
  readonly facts: readonly ChargeFact[];
}

/** Notifies the payments. False: perhaps not all of them took their facts, so they must be notified again. */
async function notify(
  { chainId, listener, log }: Pick<ChainContext, 'chainId' | 'listener' | 'log'>,
  notices: readonly ChargeNotice[],
): Promise<boolean> {
  const facts = notices.flatMap(({ charge, facts: list }) => list.map((fact): ReportedFact => ({ charge, fact })));
  if (facts.length === 0) return true;
  try {
    await listener.notify(facts);
    return true;
  } catch (error) {
    const charges = notices.map(({ charge }) => charge._id).slice(0, 3);
    log.warn(
      { chainId, charges, count: notices.length, error: messageOf(error) },
      'payments did not take the facts of charges; they are notified again',
    );
    return false;
  }
}

/**
 * Notifies all payments at once. If that fails, notifies them one by one, so that a faulty payment delays no other.
 * Returns the notices that were taken.
 */
export async function notifyEach<N extends ChargeNotice>(
  ctx: Pick<ChainContext, 'chainId' | 'listener' | 'log'>,
  notices: readonly N[],
): Promise<N[]> {
  if (notices.length === 0) return [];
  if (await notify(ctx, notices)) return [...notices];
  if (notices.length === 1) return [];
  const taken: N[] = [];
  for (const notice of notices) if (await notify(ctx, [notice])) taken.push(notice);
  return taken;
}

/** `notifyEach` between the fault points of a reconciler: a test can interrupt before and after each kind of fact. */
export async function notifyFromReconciler<N extends ChargeNotice>(
  ctx: Pick<ChainContext, 'chainId' | 'listener' | 'log' | 'fault'>,
  notices: readonly N[],
): Promise<N[]> {
  const kinds = new Set(notices.flatMap(({ facts }) => facts.map(({ kind }) => kind)));
  for (const kind of kinds) await ctx.fault('reconciler.notify.before', kind);
  const taken = await notifyEach(ctx, notices);
  if (taken.length > 0) for (const kind of kinds) await ctx.fault('reconciler.notify.after', kind);
  return taken;
}

/** `notifyFromReconciler` for one charge and one fact. False: the payment did not take it. */
export async function notifyOne(
  ctx: Pick<ChainContext, 'chainId' | 'listener' | 'log' | 'fault'>,
  charge: ChargeDoc,
  kind: 'released' | 'reorged',
): Promise<boolean> {
  return (await notifyFromReconciler(ctx, [{ charge, facts: [{ kind }] }])).length > 0;
}
