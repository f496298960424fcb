import type { BlockedReason, EffectOf } from '../../../../machines/effects.ts';
import { divide } from '../../../../machines/rules/money.ts';
import { chargeIdOf, WAITING } from '../../../chains/charges.ts';
import type { MandatesById } from '../../../chains/mandate-reader.ts';
import type { EffectHandler, EffectItem, EffectResult } from '../../../engine/types.ts';
import { BLOCKED } from '../../../model/blocked.ts';
import { chargeKeyOf, cycleUnder } from '../../../model/charge-key.ts';
import { feeUnder, mandateIn } from '../../../model/consent.ts';
import { paymentAttributes, paymentContextOf } from '../../../model/payment.ts';
import type { ChargeDoc, ChargeShare } from '../../../store/collections.ts';
import type { ActorDoc } from '../../../store/documents.ts';
import { each } from '../../actors/effect-results.ts';
import type { BillingDeps, WorkerDeps } from '../../deps.ts';
import { mandatesOf } from '../../mandates/mandates.ts';
import { recipientsOf } from '../../payout/recipients.ts';
import { endEarlierSubmissions } from './earlier-submissions.ts';
import { needsRouter, openRouters } from './open-routers.ts';

type Item = EffectItem<EffectOf<'charge.request'>>;

/** The values shared by all charges of a batch. */
interface Batch extends WorkerDeps {
  /** The moment from which they wait, the same for all, so that one write can change them (`changeAsSeen`). */
  readonly now: Date;
  /** Of the merchant's part, by id of a cycle's payment. */
  readonly recipients: ReadonlyMap<string, string | null>;
  readonly signed: MandatesById;
}

/** `charge.request`: queues the attempt's charge on its chain, with the shares as of now. */
export function requestCharge(billing: WorkerDeps): EffectHandler<EffectOf<'charge.request'>> {
  return async (items) => {
    const loaded = await billing.engine.recall(
      'payment',
      items.map(({ source }) => source.id),
    );
    const payments = new Map(loaded.map((doc) => [doc._id, doc]));
    const cycles = loaded.filter((doc) => paymentContextOf(doc).cycleOf !== null);
    const signed = await mandatesOf(
      billing,
      loaded.map((doc) => paymentContextOf(doc).consent),
    );
    const recipients = await recipientsOf(billing, cycles, signed);
    const deps = { ...billing, now: billing.clock(), recipients, signed };
    const suspended = await suspendedOf(deps, items);
    const prepared = new Map<Item, ChargeDoc>();
    const results = await each(items, async (item): Promise<EffectResult> => {
      if (item.effect.round > 0 && suspended.has(item.source.merchantId))
        return blocked(deps, item, 'merchant_suspended');
      const charge = prepare(deps, item, payments.get(item.source.id));
      if (typeof charge === 'string') return blocked(deps, item, charge);
      prepared.set(item, charge);
      return 'done';
    });
    const held = await nameRouters(deps, prepared);
    const stopped = new Map([...(await endEarlierSubmissions(deps, prepared)), ...held]);
    const charges = [...prepared].flatMap(([item, charge]) => (stopped.has(item) ? [] : [charge]));
    await deps.ledger.insert('charges', charges);
    for (const chainId of new Set(charges.map((charge) => charge.chainId))) deps.chains.get(chainId)?.wake();
    return results.map((result, index) => {
      const item = items[index];
      return (item && stopped.get(item)) ?? result;
    });
  };
}

/** Names the routers of payments that have none yet. Those that wait for an answer of their chain are held. */
async function nameRouters(deps: Batch, prepared: Map<Item, ChargeDoc>): Promise<ReadonlyMap<Item, EffectResult>> {
  const routers = await openRouters(deps, [...prepared.values()].filter(needsRouter));
  const held = new Map<Item, EffectResult>();
  for (const [item, charge] of prepared) {
    const router = routers.get(charge._id);
    if (router === 'unknown') held.set(item, { held: 'the chain does not say which router the payer has approved' });
    else if (router !== undefined) prepared.set(item, { ...charge, router });
  }
  return held;
}

/**
 * The suspended merchants, for which nothing new begins. Started charges are followed to their end. A cycle that was
 * paused, because a share could not be delivered, would begin again, so it stays paused (docs/rules.md, "Staff").
 */
async function suspendedOf({ store }: BillingDeps, items: readonly Item[]): Promise<ReadonlySet<string>> {
  const again = items.filter(({ effect }) => effect.round > 0);
  const merchants = await store.records.get('merchants', [...new Set(again.map(({ source }) => source.merchantId))]);
  return new Set(merchants.filter(({ status }) => status === 'suspended').map(({ _id }) => _id));
}

/** Pauses the payment. If an older version refuses this, the held effect requests the charge again. */
async function blocked(
  { engine }: BillingDeps,
  { source, effect }: Item,
  reason: BlockedReason,
): Promise<EffectResult> {
  const { attempt, round } = effect;
  const event = { type: 'charge.blocked', attempt, round, reason } as const;
  const result = await engine.dispatch({ kind: 'payment', id: source.id, event, by: 'billing' });
  return result.kind === 'taken' ? 'done' : { held: BLOCKED[reason] };
}

/** The charge, or the reason why it cannot be attempted now (docs/rules.md, "Money": Not attempted). */
function prepare(deps: Batch, item: Item, payment: ActorDoc | undefined): ChargeDoc | BlockedReason {
  if (!payment) throw new Error(`${item.source.id} does not exist`);
  const attributes = paymentAttributes.parse(payment.attributes);
  const { amount, fromWallet, consent, toWallet, cycleOf, deposit } = paymentContextOf(payment);
  const mandate = mandateIn(deps.signed, consent);
  const token = deps.catalog.tokenByKey(attributes.tokenKey);
  const answer = deps.catalog.play(attributes.tokenKey, payment.mode);
  const from = deposit?.address ?? fromWallet;
  if (!token || !answer.ok) return 'chain_not_enabled';
  if (from === null) throw new Error(`${payment._id} has no wallet to charge`);
  const chain = deps.chains.get(answer.play.chainId);
  if (!chain?.enabled) return 'chain_not_enabled';
  const { splits, feeBps } = attributes;
  const to = cycleOf === null ? toWallet : (deps.recipients.get(payment._id) ?? null);
  if (to === null) return 'no_payout_wallet';

  const gross = answer.play.rescale(BigInt(amount));
  const parts = divide(gross, feeUnder(mandate, feeBps), splits);
  const key = chargeKeyOf(payment, mandate);
  // A subscription can be older than the first router of its chain. Its cycles use the oldest router.
  const router = consent?.router ?? (cycleOf === null ? null : (chain.routers.at(-1) ?? null));
  const { attempt, round } = item.effect;
  return {
    _id: chargeIdOf(key, attempt, round),
    key,
    attempt,
    paymentId: payment._id,
    merchantId: payment.merchantId,
    mode: payment.mode,
    chainId: answer.play.chainId,
    token: answer.play.token,
    from,
    gross: gross.toString(),
    shares: [
      ...share('forward', to, parts.forward),
      ...share('platform', mandate?.platform ?? deps.platformWallets[token.family], parts.platformAmount),
      ...parts.splits.flatMap(({ address, amount: part }) => share('split', address, part)),
    ],
    ...(deposit === null ? {} : { deposit: { kind: 'charge', account: key } as const }),
    ...(router === null ? {} : { router }),
    ...(mandate === undefined ? {} : { mandate: { id: mandate._id, cycle: cycleUnder(payment) } }),
    isCycle: cycleOf !== null,
    ...WAITING,
    notBefore: deps.now,
    createdAt: item.at,
    updatedAt: item.at,
  };
}

/** A share of zero needs no transfer. */
function share(role: ChargeShare['role'], to: string | null, amount: bigint): ChargeShare[] {
  if (amount === 0n) return [];
  if (to === null) throw new Error(`a ${role} share of ${amount} has nowhere to go`);
  return [{ role, to, amount: amount.toString() }];
}
