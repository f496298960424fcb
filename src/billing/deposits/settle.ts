import { isDeepStrictEqual } from 'node:util';
import { type CatalogChain, unitsOfCents } from '../../chains/catalog.ts';
import { NOT_IN_CATALOG, WAITING } from '../../chains/charges.ts';
import { refundKey } from '../../chains/evm/contracts/router.ts';
import { type AllocationRules, allocate, isByBalance, type PaymentPhase } from '../../model/deposit.ts';
import type { ChargeDoc, DepositArrival, DepositDoc, StaffEntryDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { RecordStore } from '../../store/port.ts';
import type { BillingDeps } from '../deps.ts';

export type RefundDeps = Pick<BillingDeps, 'catalog' | 'chains' | 'clock' | 'ledger'> & {
  readonly store: Pick<BillingDeps['store'], 'records'>;
};
export type SettleDeps = RefundDeps & Pick<BillingDeps, 'store'>;

/** Decides what becomes of a payment's deposits, and queues the refunds. Idempotent: it requests no refund twice. */
export async function settleDeposits(deps: SettleDeps, payment: ActorDoc): Promise<void> {
  const book = { records: deps.store.records, clock: deps.clock };
  const phase = phaseOf(payment);
  const doc = await changeBook(book, payment._id, (now) => {
    const arrivals = allocate(now, phase, rulesFor(deps, now, deps.clock()));
    return isDeepStrictEqual(arrivals, now.arrivals) ? null : { arrivals };
  });
  if (doc !== null) await requestRefunds(deps, doc);
}

/**
 * Queues the refunds; those that are queued already stay. Without the ledger, a check of the address by a worker queues
 * them: it is made due.
 */
export async function requestRefunds(deps: RefundDeps, doc: DepositDoc): Promise<void> {
  const now = deps.clock();
  const tokens = (deps.catalog.chain(doc.chainId)?.tokens ?? []).map(({ address }) => address);
  const charges = doc.arrivals.flatMap((arrival) => refundOf(doc, arrival, tokens, now));
  if (charges.length === 0) return;
  if (deps.ledger === null) {
    const check = { id: doc._id, where: {}, change: { set: { lookAt: now } } };
    await deps.store.records.changeMany('watches', [check]);
    return;
  }
  await deps.ledger.insert('charges', charges);
  deps.chains.get(doc.chainId)?.wake();
}

/** The rules by which deposits of a payment are allocated. */
export function rulesFor(
  { catalog }: Pick<SettleDeps, 'catalog'>,
  { chainId, chargeSecret }: Pick<DepositDoc, 'chainId' | 'chargeSecret'>,
  notBefore: Date,
): AllocationRules {
  const chain = catalog.chain(chainId);
  return {
    notBefore,
    costOf: (token) => {
      if (chain === undefined)
        throw new Error(`chain ${chainId} is not in the catalog; no deposit on it can be judged`);
      return refundCost(chain, token);
    },
    keyOf: (arrivalId, round) => refundKey(`${arrivalId}:${round}`, chargeSecret),
  };
}

/** The least amount that is refunded, in base units: every token of the catalog is worth a dollar. */
function refundCost({ refundCents, tokens }: CatalogChain, token: string): bigint {
  const decimals = tokens.find(({ address }) => address === token)?.decimals ?? 18;
  return unitsOfCents(refundCents, decimals);
}

function phaseOf({ status }: ActorDoc): PaymentPhase {
  if (status === 'settled') return 'settled';
  return status === 'failed' || status === 'canceled' ? 'ended' : 'open';
}

function refundOf(doc: DepositDoc, arrival: DepositArrival, catalogTokens: readonly string[], now: Date): ChargeDoc[] {
  const { fate, refund, token: asset } = arrival;
  if (fate !== 'refunding' || refund === null) return [];
  const isKnown = catalogTokens.includes(asset) && !isByBalance(arrival);
  const [token, use] = isKnown ? [asset, {}] : [NOT_IN_CATALOG, { asset }];
  const { key, attempt, to, amount, notBefore } = refund;
  return [
    {
      _id: `${key}:${attempt}`,
      key,
      attempt,
      paymentId: doc._id,
      merchantId: doc.merchantId,
      mode: doc.mode,
      chainId: doc.chainId,
      token,
      from: doc.address,
      gross: amount,
      shares: [{ role: 'forward', to, amount }],
      deposit: { kind: 'refund', account: doc.account, ...use },
      ...(doc.router === undefined ? {} : { router: doc.router }),
      isCycle: false,
      ...WAITING,
      notBefore,
      createdAt: now,
      updatedAt: now,
    },
  ];
}

export interface BookDeps {
  readonly records: RecordStore;
  readonly clock: () => Date;
}

/** The fields that a change of a payment's deposits sets. */
interface BookChange {
  readonly arrivals?: readonly DepositArrival[];
  readonly refundWallet?: string;
  readonly since?: number | null;
  readonly others?: readonly string[];
  readonly staffEntry?: StaffEntryDoc;
}

/** How often a change is tried while others win. */
const ATTEMPTS_MAX = 32;

/**
 * Changes a payment's deposits by one conditional write, and tries again while others win. `decide` returns the change,
 * or null for none. Resolves with the stored document; null: the payment has no deposit.
 */
export async function changeBook(
  { records, clock }: BookDeps,
  paymentId: string,
  decide: (doc: DepositDoc) => BookChange | null | Promise<BookChange | null>,
): Promise<DepositDoc | null> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const [doc] = await records.get('deposits', [paymentId]);
    if (doc === undefined) return null;
    const change = await decide(doc);
    if (change === null) return doc;
    const now = clock();
    const isHeld = (change.arrivals ?? doc.arrivals).some(({ fate }) => fate === 'held');
    const heldAt = isHeld ? (doc.heldAt ?? now) : null;
    const set = { ...change, heldAt, rev: doc.rev + 1, updatedAt: now };
    const stored = await records.change('deposits', paymentId, { rev: doc.rev }, { set });
    if (stored !== null) return stored;
  }
  throw new Error(`deposits of ${paymentId}: not changed; others changed them first in all ${ATTEMPTS_MAX} attempts`);
}
