import { type ChainReader, chunksOf, type Holding } from '../../chains/chain-reader.ts';
import { assetOf, isNativeCoin, isRefund } from '../../chains/charges.ts';
import { refundKey } from '../../chains/evm/contracts/router.ts';
import type { ChargeDoc, DepositArrival, DepositDoc, DifferenceDoc, DifferenceKind } from '../../store/collections.ts';
import { ARRIVALS_MAX } from '../deposits/deposit-watcher.ts';
import { type AuditorDeps, ON_ITS_WAY } from './findings.ts';

export interface DepositAuditDeps extends Pick<AuditorDeps, 'store' | 'findings' | 'touch'> {
  readonly reader: Pick<ChainReader, 'chainId' | 'holdings'>;
}

const PAGE = 250;
/** The most charges and refunds read per payment, which has at most some hundred deposits. */
const CHARGES_EACH = 100;

type Difference = Pick<DifferenceDoc, 'kind' | 'paymentId' | 'chargeKey' | 'txHash' | 'block' | 'what'>;

/**
 * Compares deposits with the refunds charged for them and with the balances of their addresses. Charges under way
 * explain differences. While an address is still watched, its balance may exceed the known deposits.
 */
export class DepositAudit {
  readonly #deps: DepositAuditDeps;

  constructor(deps: DepositAuditDeps) {
    this.#deps = deps;
  }

  async all(): Promise<void> {
    for (let after: string | null = ''; after !== null; ) after = await this.next(after, PAGE);
  }

  /** Audits at most `limit` deposits after `after`, of all chains. Resolves with the last id, or null at the end. */
  async next(after: string, limit: number): Promise<string | null> {
    const page = await this.#deps.store.records.find('deposits', {
      where: { _id: { gt: after } },
      sort: [['_id', 1]],
      limit,
    });
    await this.of(page.filter(({ chainId }) => chainId === this.#deps.reader.chainId).map(({ _id }) => _id));
    return page.length < limit ? null : (page.at(-1)?._id ?? null);
  }

  /**
   * Audits the deposits of these payments. Differences are checked a second time, because the documents are read one by
   * one.
   */
  async of(paymentIds: readonly string[]): Promise<void> {
    const { findings, touch, reader } = this.#deps;
    for (const part of chunksOf([...new Set(paymentIds)], PAGE)) {
      const doubtful = (await this.#differences(part)).flatMap(({ paymentId }) => paymentId ?? []);
      const found = await this.#differences([...new Set(doubtful)]);
      for (const difference of found) findings.add({ ...difference, chainId: reader.chainId });
      await touch();
    }
  }

  async #differences(paymentIds: readonly string[]): Promise<Difference[]> {
    if (paymentIds.length === 0) return [];
    const { store, reader } = this.#deps;
    const known = await store.records.get('deposits', paymentIds);
    const holdings = await reader.holdings(known.map(({ address }) => address));
    // A deposit notes a refund before its charge is final, so deposits are read after charges.
    const where = { paymentId: { in: paymentIds } };
    const all = await store.records.find('charges', { where, limit: PAGE * CHARGES_EACH });
    const watched = new Set((await store.records.get('watches', paymentIds)).map(({ _id }) => _id));
    const now = new Map((await store.records.get('deposits', paymentIds)).map((doc) => [doc._id, doc]));
    return known.flatMap(({ _id, address }, index) => {
      const doc = now.get(_id);
      if (doc === undefined) return [];
      const charges = all.filter(({ paymentId, from }) => paymentId === _id && from === address);
      const isWatched = watched.has(_id) && doc.arrivals.length < ARRIVALS_MAX;
      return [...refundProblems(doc, charges), ...holdingProblems(doc, charges, holdings[index] ?? [], isWatched)];
    });
  }
}

function refundProblems(doc: DepositDoc, charges: readonly ChargeDoc[]): Difference[] {
  const refunds = charges.filter(isRefund);
  const keys = new Set(doc.arrivals.flatMap((arrival) => keysOf(doc, arrival)));
  const strays = refunds.filter(({ key, state }) => state === 'final' && !keys.has(key));
  return [
    ...strays.map((stray) => about(doc, stray, `${stray.gross} were sent back, which no arrival of it explains`)),
    ...doc.arrivals.flatMap((arrival) => arrivalProblems(doc, arrival, refunds)),
  ];
}

function arrivalProblems(doc: DepositDoc, arrival: DepositArrival, refunds: readonly ChargeDoc[]): Difference[] {
  const mine = refunds.filter(({ key }) => keysOf(doc, arrival).includes(key));
  if (mine.some(({ state }) => ON_ITS_WAY.has(state))) return [];
  const made = mine.filter(({ state }) => state === 'final');
  const sum = made.reduce((all, { gross }) => all + BigInt(gross), 0n);
  const last = made.find(({ key }) => key === arrival.refund?.key) ?? null;
  if (sum !== BigInt(arrival.refunded)) {
    return [about(doc, last, `${arrival.id} says ${arrival.refunded} were sent back, its refunds were ${sum}`)];
  }
  const { refund } = arrival;
  if (refund === null || last === null) return [];
  const [share] = last.shares;
  const wrong = [
    ['to', refund.to, share?.to],
    ['amount', refund.amount, last.gross],
    ['transaction', refund.txHash, last.txHash],
    ['token', arrival.token, assetOf(last)],
  ].filter(([, one, other]) => one !== other);
  return wrong.map(([name, one, other]) => {
    return about(doc, last, `the ${name} of the refund of ${arrival.id} is ${one}, expected ${other} as it was made`);
  });
}

/** The keys of all refunds that were ever started for a deposit. */
function keysOf({ chargeSecret }: DepositDoc, { id, refund }: DepositArrival): string[] {
  return Array.from({ length: refund?.round ?? 0 }, (_, index) => refundKey(`${id}:${index + 1}`, chargeSecret));
}

/** The differences between an address's balances and its deposits less refunds, as of the block of the balance. */
function holdingProblems(
  doc: DepositDoc,
  charges: readonly ChargeDoc[],
  holdings: readonly Holding[],
  isWatched: boolean,
): Difference[] {
  if (charges.some(({ state }) => ON_ITS_WAY.has(state))) return [];
  return holdings.flatMap(({ token, amount, block }): Difference[] => {
    if (token === null) return nativeProblems(doc, charges, amount, block);
    const arrived = doc.arrivals.filter((each) => each.token === token && each.block.number <= block);
    const gone = charges.filter((each) => assetOf(each) === token && each.state === 'final' && isIn(each, block));
    const expected = sumOf(arrived.map((each) => each.amount)) - sumOf(gone.map(({ gross }) => gross));
    const remainder = `${token} are left at the deposit address ${doc.address}`;
    if (amount > expected && !isWatched) {
      return [
        about(doc, null, `${amount} base units of ${remainder}, and its deposit explains ${expected}`, 'residue'),
      ];
    }
    return amount < expected
      ? [about(doc, null, `${amount} base units of ${remainder}, and there must be ${expected}`)]
      : [];
  });
}

/** A difference if the balance exceeds the seen deposits less the refunds. */
function nativeProblems(doc: DepositDoc, charges: readonly ChargeDoc[], amount: bigint, block: number): Difference[] {
  const seen = doc.arrivals.filter(({ token }) => isNativeCoin(token));
  const gone = charges.filter((each) => isNativeCoin(assetOf(each)) && each.state === 'final' && isIn(each, block));
  if (amount <= sumOf(seen.map((each) => each.amount)) - sumOf(gone.map(({ gross }) => gross))) return [];
  const what = `${amount} base units of the native coin are left at the deposit address ${doc.address}, key ${doc.account}`;
  return [about(doc, null, what, 'residue')];
}

function isIn({ block }: ChargeDoc, last: number): boolean {
  return block === null || block.number <= last;
}

function sumOf(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);
}

function about(
  { _id: paymentId }: DepositDoc,
  charge: ChargeDoc | null,
  what: string,
  kind: DifferenceKind = 'deposit_differs',
): Difference {
  const { key = null, txHash = null, block = null } = charge ?? {};
  return { kind, paymentId, chargeKey: key, txHash, block: block?.number ?? null, what };
}
