import type { EffectOf } from '../../../../machines/effects.ts';
import { newPayment } from '../../../../machines/payment/context.ts';
import { divide } from '../../../../machines/rules/money.ts';
import type { Create, Dispatch, EffectHandler, EffectItem, EffectResult } from '../../../engine/types.ts';
import { consentIn, feeUnder, mandateIn } from '../../../model/consent.ts';
import { cyclePaymentId, type PaymentAttributes, paymentAttributes } from '../../../model/payment.ts';
import { pick } from '../../../model/pick.ts';
import { subscriptionAttributes, subscriptionContextOf } from '../../../model/subscription.ts';
import type { ActorDoc } from '../../../store/documents.ts';
import { delivered, senderOf } from '../../actors/effect-results.ts';
import type { BillingDeps } from '../../deps.ts';
import { mandatesOf } from '../../mandates/mandates.ts';

type Item = EffectItem<EffectOf<'charge.open'>>;

interface OpenChargeDeps extends Pick<BillingDeps, 'store' | 'mandates' | 'catalog'> {
  readonly engine: Pick<BillingDeps['engine'], 'recall' | 'create' | 'dispatchMany'>;
}

/** `charge.open`: creates the cycle's payment with its first attempt, or opens a further attempt. */
export function openCharge(deps: OpenChargeDeps): EffectHandler<EffectOf<'charge.open'>> {
  return async (items) => {
    const first = items.filter(({ effect }) => effect.attempt === 1);
    const further = items.filter(({ effect }) => effect.attempt > 1);
    const results = new Map<Item, EffectResult>([
      ...(await makePayments(deps, first)),
      ...(await openFurther(deps, further)),
    ]);
    return items.map((item) => results.get(item) ?? { failed: new Error(`${item.id} has no result`) });
  };
}

async function makePayments(deps: OpenChargeDeps, items: readonly Item[]): Promise<[Item, EffectResult][]> {
  if (items.length === 0) return [];
  const subscriptions = await byId(subscriptionsOf(deps, items));
  const merchants = await byId(
    deps.store.records.get(
      'merchants',
      items.map(({ source }) => source.merchantId),
    ),
  );
  const mandates = await mandatesOf(
    deps,
    items.map(({ effect }) => effect.consent),
  );
  const creates = items.map((item) => {
    const subscription = subscriptions.get(item.source.id);
    const merchant = merchants.get(item.source.merchantId);
    if (!subscription || !merchant) throw new Error(`${item.source.id} or its merchant does not exist`);
    const feeBps = feeUnder(mandateIn(mandates, item.effect.consent), merchant.feeBps);
    return createOf(deps, item, subscription, feeBps);
  });
  // Their ids follow from the cycles: one that exists was created by an earlier run.
  await deps.engine.create('payment', creates);
  return items.map((item) => [item, 'done']);
}

/** The subscriptions, each with the terms of its cycle: one that was recalled may not have opened the cycle yet. */
async function subscriptionsOf({ engine, store }: OpenChargeDeps, items: readonly Item[]): Promise<ActorDoc[]> {
  const recalled = await engine.recall(
    'subscription',
    items.map(({ source }) => source.id),
  );
  const cycles = new Map(items.map(({ source, effect }) => [source.id, effect.cycle]));
  const isStale = (doc: ActorDoc) => subscriptionContextOf(doc).lastCycle < (cycles.get(doc._id) ?? 0);
  const stale = recalled.filter(isStale).map(({ _id }) => _id);
  if (stale.length === 0) return recalled;
  return [...recalled.filter((doc) => !isStale(doc)), ...(await store.actors.load('subscription', stale))];
}

async function openFurther(deps: OpenChargeDeps, items: readonly Item[]): Promise<[Item, EffectResult][]> {
  const requests = items.map((item): Dispatch<'payment'> => {
    const { cycle, attempt, fromWallet, consent, periodStart, periodEnd, forcedFailure } = item.effect;
    const payer = { fromWallet, ...consentIn(consent) };
    return {
      kind: 'payment',
      id: cyclePaymentId(item.source.id, cycle),
      event: { type: 'charge.opened', attempt, ...payer, periodStart, periodEnd, forcedFailure },
      by: `subscription:${item.source.id}`,
      sender: senderOf(item),
    };
  });
  const results = await deps.engine.dispatchMany(requests);
  return items.map((item, index) => [item, delivered(results[index], requests[index]?.id ?? '')]);
}

function createOf(deps: OpenChargeDeps, item: Item, subscription: ActorDoc, feeBps: number): Create {
  const { source, effect } = item;
  const id = cyclePaymentId(source.id, effect.cycle);
  const { periodStart, periodEnd, cycle } = effect;
  return {
    kind: 'payment',
    id,
    merchantId: source.merchantId,
    mode: source.mode,
    attributes: attributesOf(deps, item, subscription, feeBps),
    context: newPayment({
      id,
      cycleOf: { subscriptionId: source.id, cycle, periodStart, periodEnd },
      ...pick(effect, 'amount', 'fromWallet', 'forcedFailure', 'notBefore'),
      ...consentIn(effect.consent),
      toWallet: null,
    }),
    by: `subscription:${source.id}`,
    sender: senderOf(item),
  };
}

function attributesOf(
  { catalog }: OpenChargeDeps,
  { source, effect }: Item,
  subscription: ActorDoc,
  feeBps: number,
): PaymentAttributes {
  const made = subscriptionAttributes.parse(subscription.attributes);
  const token = catalog.tokenByKey(effect.tokenKey);
  if (!token) throw new Error(`${source.id} is charged in the unknown token ${effect.tokenKey}`);
  const { platformAmount, merchantAmount } = divide(BigInt(effect.amount), feeBps, []);
  return paymentAttributes.parse({
    source: 'subscription',
    ...pick(made, 'customerId', 'offerId', 'splits', 'affiliatePartnerId', 'affiliateCommissionPct', 'chargeSecret'),
    subscriptionId: source.id,
    ...pick(effect, 'cycle', 'priceId', 'tokenKey', 'quantity', 'usage', 'discount', 'credit'),
    chainId: token.chainId,
    platformAmount: platformAmount.toString(),
    merchantAmount: merchantAmount.toString(),
    feeBps,
    destination: subscriptionContextOf(subscription).terms.destination,
    paymentMethod: 'wallet_connect',
    metadata: {},
    refundWallet: null,
    idempotencyKey: `cycle:${source.id}:${effect.cycle}`,
    requestHash: null,
  } satisfies PaymentAttributes);
}

async function byId<D extends { readonly _id: string }>(docs: Promise<readonly D[]>): Promise<Map<string, D>> {
  return new Map((await docs).map((doc) => [doc._id, doc]));
}
