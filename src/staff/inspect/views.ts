import { explorerUrl } from '../../chains/catalog.ts';
import { assetOf, NATIVE_COIN } from '../../chains/charges.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { momentOrNull, momentsOf } from '../../http/schemas.ts';
import { formatAmount } from '../../model/amounts.ts';
import { paymentAttributes, paymentContextOf, paymentStatusOf, paymentUnits } from '../../model/payment.ts';
import { pick } from '../../model/pick.ts';
import type { ChargeDoc, EventDoc } from '../../store/collections.ts';
import type { ActorDoc, StoredActor } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { envelopeOf } from '../../webhooks/attempt.ts';
import { deliveryIdOf, unsoundnessOf } from '../../webhooks/deliveries.ts';
import type { ChargeView, DeliveryView, Note, PaymentRow } from '../wire.ts';
import { causeText } from './waits.ts';

export function paymentRowOf({ catalog }: Pick<HttpDeps, 'catalog'>, doc: ActorDoc): PaymentRow {
  const { tokenKey, subscriptionId, cycle } = paymentAttributes.parse(doc.attributes);
  const { amount, cycleOf, fromWallet, toWallet, hashes, failureReason, nextAttemptAt, attempt } =
    paymentContextOf(doc);
  return {
    id: doc._id,
    status: paymentStatusOf(doc),
    amount: paymentUnits(doc, catalog)(amount),
    token: catalog.tokenByKey(tokenKey)?.ticker ?? tokenKey,
    subscriptionId,
    cycle,
    period: cycleOf === null ? '' : `${dayOf(cycleOf.periodStart)} to ${dayOf(cycleOf.periodEnd)}`,
    from: fromWallet,
    to: toWallet,
    txHash: hashes.pullTxHash,
    failureReason,
    nextAttemptAt,
    attempts: attempt,
    createdAt: doc.createdAt.toISOString(),
  };
}

/** The newest payments of a subscription, the newest cycle first. */
export async function paymentsOf(deps: HttpDeps, { merchantId, _id }: ActorDoc, limit: number): Promise<PaymentRow[]> {
  const docs = await deps.store.actors.find('payment', {
    where: { merchantId, 'attributes.subscriptionId': _id },
    sort: [['attributes.cycle', -1]],
    limit,
  });
  return docs.map((doc) => paymentRowOf(deps, doc));
}

const PER_PAYMENT = 30;

/** The newest charges of each payment, in the order of the payments. */
export async function chargesOf(deps: HttpDeps, paymentIds: readonly string[]): Promise<ChargeView[]> {
  const found = await Promise.all(
    paymentIds.map((paymentId) =>
      deps.store.records.find('charges', { where: { paymentId }, sort: [['attempt', -1]], limit: PER_PAYMENT }),
    ),
  );
  const charges = found.flat();
  const heads = await headsOf(deps, new Set(charges.map(({ chainId }) => chainId)));
  return charges.map((charge) => chargeView(deps, charge, heads.get(charge.chainId) ?? null));
}

async function headsOf({ chains }: HttpDeps, ids: ReadonlySet<number>): Promise<ReadonlyMap<number, number | null>> {
  const heads = [...ids].map(async (id) => [id, (await chains.get(id)?.health())?.head ?? null] as const);
  return new Map(await Promise.all(heads));
}

/** The name of the base units of an asset outside of the catalog. */
function nameOf(asset: string): string {
  if (asset === NATIVE_COIN.evm) return 'wei';
  return asset === NATIVE_COIN.solana ? 'lamports' : asset;
}

export function chargeView(deps: Pick<HttpDeps, 'catalog'>, charge: ChargeDoc, head: number | null): ChargeView {
  const chain = deps.catalog.chain(charge.chainId);
  const asset = assetOf(charge);
  const token = chain?.tokens.find(({ address }) => address.toLowerCase() === asset.toLowerCase());
  const inTokens = (units: string) => formatAmount(BigInt(units), token?.decimals ?? 0);
  const { block, txHash } = charge;
  return {
    id: charge._id,
    ...pick(charge, 'attempt', 'paymentId', 'state', 'chainId', 'from', 'txHash', 'reason'),
    chain: chain?.label ?? `chain ${charge.chainId}`,
    token: token?.ticker ?? nameOf(asset),
    amount: inTokens(charge.gross),
    shares: charge.shares.map(({ role, to, amount }) => ({ role, to, amount: inTokens(amount) })),
    block: block?.number ?? null,
    confirmations: block === null || head === null ? null : Math.max(0, head - block.number + 1),
    explorer: txHash === null ? null : explorerUrl(charge.chainId, txHash),
    cause: charge.reason && causeText(charge.reason),
    note: charge.note ?? null,
    refusal: charge.refusal?.text ?? null,
    ...momentsOf(charge),
  };
}

/** The newest events of a resource with their deliveries, the newest first. */
export async function deliveriesOf(
  store: Store,
  resourceId: string,
  limit: number,
  isWanted: (event: EventDoc) => boolean = () => true,
): Promise<DeliveryView[]> {
  const found = await store.records.find('events', { where: { resourceId }, sort: [['sequence', -1]], limit });
  return found.filter(isWanted).map(deliveryView);
}

export function deliveryView(event: EventDoc): DeliveryView {
  return {
    id: deliveryIdOf(event._id),
    eventId: event._id,
    ...pick(event, 'event', 'sequence', 'resourceId', 'status'),
    createdAt: event.createdAt.toISOString(),
    nextAttemptAt: event.status === 'retrying' ? momentOrNull(event.wakeAt) : null,
    attempts: unsoundnessOf(event) === null ? [...event.attempts] : [],
    body: envelopeOf(event).toString('utf8'),
  };
}

/** Problems that stop an actor of any kind from normal work. */
export function actorNotes(
  { quarantine, outbox, failures }: Pick<StoredActor, 'quarantine' | 'outbox' | 'failures'>,
  unsound: string | null,
): Note[] {
  return [
    ...(quarantine === null
      ? []
      : [
          {
            name: 'quarantined',
            text: `Quarantined: ${quarantine.reason}. It accepts no event until somebody has checked it.`,
          },
        ]),
    ...(unsound === null ? [] : [{ name: 'unsound', text: `Its machine cannot run it: ${unsound}` }]),
    ...(failures === 0
      ? []
      : [
          {
            name: 'relay-failing',
            text: `${outbox.length} effects wait. The first one has failed ${failures} times.`,
          },
        ]),
  ];
}

/** Notes on charges that only staff see. */
export function chargeNotes(charges: readonly ChargeView[]): Note[] {
  const replaced = charges.find(({ note }) => note === 'delegate_replaced');
  if (replaced === undefined) return [];
  const text = `delegate_replaced: ${replaced.from} has approved another delegate instead: another service's, or the merchant's other one. It cannot be charged until its owner approves again.`;
  return [{ name: 'delegate_replaced', text }];
}

/** `2030-02-01T09:00:00.000Z` → `2030-02-01`. */
export function dayOf(moment: string): string {
  return moment.slice(0, 10);
}

/** `2030-02-01T09:00:00.000Z` → `2030-02-01 09:00 UTC`. */
export function momentText(moment: string): string {
  return `${dayOf(moment)} ${moment.slice(11, 16)} UTC`;
}

/** `2030-12-25T09:00:00.000Z` → `25 December 2030`. */
export function longDay(moment: string): string {
  const format = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Date(moment).toLocaleDateString('en-GB', format);
}
