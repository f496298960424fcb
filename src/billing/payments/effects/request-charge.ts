import type { BlockedReason, EffectOf } from '../../../../machines/effects.ts';
import { divide } from '../../../../machines/rules/money.ts';
import { chargeIdOf, WAITING } from '../../../chains/charges.ts';
import type { MandatesById } from '../../../chains/mandate-reader.ts';
import type { Chain } from '../../../chains/port.ts';
import type { EffectHandler, EffectItem, EffectResult } from '../../../engine/types.ts';
import { BLOCKED } from '../../../model/blocked.ts';
import { chargeKeyOf, cycleUnder, feeUnder, mandateIn } from '../../../model/consent.ts';
import { paymentAttributes, paymentContextOf } from '../../../model/payment.ts';
import type { ChargeDoc, ChargeShare } from '../../../store/collections.ts';
import type { ActorDoc } from '../../../store/documents.ts';
import { delivered, each, senderOf } from '../../actors/effect-results.ts';
import type { BillingDeps, WorkerDeps } from '../../deps.ts';
import { mandatesOf } from '../../mandates/mandates.ts';
import { recipientsOf } from '../../payout/recipients.ts';
import { endEarlierSubmissions } from './earlier-submissions.ts';

type Item = EffectItem<EffectOf<'charge.request'>>;

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

/** A chain does not say which routers may take the amount. */
type Unknown = 'unknown';

/**
 * True for a payment that its payer's allowance alone permits, and that no router is named for: the charge goes to the
 * router that the payer has approved.
 */
export function needsRouter({ isCycle, deposit, mandate, router }: ChargeDoc): boolean {
  return !isCycle && deposit === undefined && mandate === undefined && router === undefined;
}

/**
 * The router for each of these charges, by id: the newest one whose open operator may take the amount; the newest of
 * all if none may (docs/rules.md, "Routers"). Missing: its chain has no routers.
 */
export async function openRouters(
  { chains, log }: Pick<BillingDeps, 'chains' | 'log'>,
  charges: readonly ChargeDoc[],
): Promise<ReadonlyMap<string, string | Unknown>> {
  const chainIds = [...new Set(charges.map(({ chainId }) => chainId))];
  const found = await Promise.all(
    chainIds.map(async (chainId): Promise<(readonly [string, string | Unknown])[]> => {
      const chain = chains.get(chainId);
      const mine = charges.filter((charge) => charge.chainId === chainId);
      if (!chain || chain.router === null) return [];
      const newest = chain.router;
      if (chain.routers.length === 1) return mine.map(({ _id }) => [_id, newest]);
      try {
        return await approved(chain, newest, mine);
      } catch (error) {
        log.warn({ chainId, err: error }, 'cannot read which router the payers have approved; their payments wait');
        return mine.map(({ _id }) => [_id, 'unknown']);
      }
    }),
  );
  return new Map(found.flat());
}

async function approved(chain: Chain, newest: string, charges: readonly ChargeDoc[]): Promise<[string, string][]> {
  const reads = charges.flatMap(({ merchantId, mode, token, from: wallet }) =>
    chain.routers.map((router) => {
      return { token, wallet, operator: chain.operatorFor(merchantId, mode, { isBounded: false, router }) };
    }),
  );
  const states = await chain.readAllowances(reads);
  const count = chain.routers.length;
  return charges.map(({ _id, gross }, index) => {
    const mine = states.slice(index * count, (index + 1) * count);
    const at = mine.findIndex((state) => state !== null && state.allowance >= BigInt(gross));
    return [_id, chain.routers[at] ?? newest];
  });
}

type Deps = Pick<BillingDeps, 'engine' | 'store'>;

/** `subscription.tell`: the payment of a cycle informs its subscription. After a reorg it adds the owed amount. */
export function notifySubscription({ engine, store }: Deps): EffectHandler<EffectOf<'subscription.tell'>> {
  return async (items) => {
    const reorged = items
      .filter(({ effect }) => effect.message.type === 'charge.reorged')
      .map(({ source }) => source.id);
    const payments = reorged.length === 0 ? [] : await store.actors.load('payment', reorged);
    const requests = items.map((item) => {
      const { message, subscriptionId: id } = item.effect;
      const payment = payments.find(({ _id }) => _id === item.source.id);
      const owed = payment && {
        tokenKey: paymentAttributes.parse(payment.attributes).tokenKey,
        amount: paymentContextOf(payment).amount,
      };
      const event = message.type === 'charge.reorged' && owed ? { ...message, owed } : message;
      return { kind: 'subscription' as const, id, event, by: `payment:${item.source.id}`, sender: senderOf(item) };
    });
    const results = await engine.dispatchMany(requests);
    return results.map((result, index) => delivered(result, requests[index]?.id ?? ''));
  };
}
