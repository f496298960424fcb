import type { EffectOf } from '../../../machines/effects.ts';
import type { EffectHandler, EffectItem, EffectResult } from '../../engine/types.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { each } from '../actors/effect-results.ts';
import type { BillingDeps, WorkerDeps } from '../deps.ts';
import { settleDeposits } from './settle.ts';
import { watchDeposit } from './watch.ts';

/** `deposit.watch`: starts to watch the payment's deposit address. */
export function watchDeposits(deps: BillingDeps): EffectHandler<EffectOf<'deposit.watch'>> {
  return (items) => withPayments(deps, items, (payment) => watchDeposit(deps, payment));
}

export function settleDepositsOf(deps: WorkerDeps): EffectHandler<EffectOf<'deposit.settle'>> {
  return (items) => withPayments(deps, items, (payment) => settleDeposits(deps, payment));
}

/** Runs each effect with its payment as stored: one that this process remembers may be older than the effect. */
export async function withPayments(
  { store }: Pick<BillingDeps, 'store'>,
  items: readonly EffectItem[],
  run: (payment: ActorDoc) => Promise<void>,
): Promise<EffectResult[]> {
  const docs = await store.actors.load(
    'payment',
    items.map(({ source }) => source.id),
  );
  return each(items, async ({ source }) => {
    const payment = docs.find(({ _id }) => _id === source.id);
    if (!payment) throw new Error(`${source.id} does not exist`);
    await run(payment);
    return 'done';
  });
}
