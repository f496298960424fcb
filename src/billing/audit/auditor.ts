import {
  chunksOf,
  isChargeOf,
  type Movement,
  type OnChainCharge,
  type OnChainRefund,
} from '../../chains/chain-reader.ts';
import { isRefund, ofKey } from '../../chains/charges.ts';
import { groupBy } from '../../chains/group-by.ts';
import { MandateReader, type MandatesById } from '../../chains/mandate-reader.ts';
import { chargeKeyOf } from '../../model/consent.ts';
import { paymentContextOf } from '../../model/payment.ts';
import type { ChargeDoc, DifferenceDoc, DifferenceKind, TransactionDoc } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { pagesOf } from '../../store/pages.ts';
import { DepositAudit } from './deposits.ts';
import { type AuditorDeps, ON_ITS_WAY } from './findings.ts';
import { byWeight } from './parts.ts';
import { chargeProblems, paymentProblems, RefundAudit, type Stretch } from './refunds.ts';

const PAGE = 250;
/** Transactions read at once; each has many charges. */
const TRANSACTIONS = 20;

/**
 * Compares one chain with the ledger, page by page. Charges that are under way explain chain data that is not settled
 * yet. The chain is always read before the ledger, so changes in between explain themselves too.
 */
export class Auditor {
  readonly #deps: AuditorDeps;
  readonly #mandates: MandateReader;
  readonly deposits: DepositAudit;
  readonly refunds: RefundAudit;
  /** The numbers of compared charges and payments. */
  charges = 0;
  payments = 0;

  constructor(deps: AuditorDeps) {
    this.#deps = deps;
    this.#mandates = new MandateReader(deps.store.records);
    this.deposits = new DepositAudit(deps);
    this.refunds = new RefundAudit(deps);
  }

  /**
   * Checks that every charge and every other movement on the chain has its payment or transaction in the ledger.
   * `onRefunds` gets the refunds by merchants.
   */
  async fromChain(
    { from, to }: Stretch,
    tenants: readonly Tenant[],
    onRefunds: (seen: readonly OnChainRefund[]) => Promise<void> = async () => {},
  ): Promise<void> {
    const { reader, touch } = this.#deps;
    const known = (hashes: readonly string[]) => this.#known(hashes);
    for await (const { charges, refunds, others } of reader.read(from, to, { tenants, known })) {
      for (const part of chunksOf(charges, PAGE)) {
        await this.#compareCharges(part);
        await touch();
      }
      await onRefunds(refunds);
      for (const part of chunksOf(others, PAGE)) {
        await this.#compareOthers(part);
        await touch();
      }
      await touch();
    }
  }

  /** Checks that every settled payment in these blocks has its charge, and that the chain has it. */
  async fromPayments({ from, to }: Stretch): Promise<void> {
    const { store, touch } = this.#deps;
    for await (const page of pagesOf((query) => store.actors.find('payment', query), { status: 'settled' })) {
      await this.#comparePayments(page.filter((payment) => this.#isIn(payment, from, to)));
      await touch();
    }
  }

  /** Checks that the chain has every refund of a deposit in these blocks. */
  async fromRefunds({ from, to }: Stretch): Promise<void> {
    const { store, reader, touch } = this.#deps;
    for await (const page of pagesOf((query) => store.records.find('deposits', query), {})) {
      const ids = page.flatMap(({ _id, chainId }) => (chainId === reader.chainId ? [_id] : []));
      const found = await store.records.find('charges', { where: { paymentId: { in: ids } }, limit: PAGE * 100 });
      const made = found.filter((each) => isRefund(each) && each.state === 'final');
      await this.#compareWithChain(made.filter(({ block }) => block && block.number >= from && block.number <= to));
      await touch();
    }
  }

  /**
   * Checks that every charge of the transactions in these blocks has its payment and is on the chain. Costs less than
   * `fromPayments`.
   */
  async fromTransactions({ from, to }: Stretch): Promise<void> {
    const { store, reader, touch } = this.#deps;
    const { chainId } = reader;
    for (let start = 0; ; start += TRANSACTIONS) {
      const query = { where: { chainId, 'block.number': { gte: from, lte: to } }, limit: TRANSACTIONS };
      const page = await store.records.find('transactions', { ...query, sort: [['block.number', 1]], start });
      const landed = page.filter(({ state, reverted }) => (state === 'final' || state === 'finalized') && !reverted);
      for (const part of byWeight(landed, ({ chargeIds }) => chargeIds.length, PAGE)) {
        await this.#compareTransactions(part);
        await touch();
      }
      await touch();
      if (page.length < TRANSACTIONS) return;
    }
  }

  /** Checks that operators hold no money. */
  async residues(tenants: readonly Tenant[]): Promise<void> {
    const { reader, touch } = this.#deps;
    for (const part of tenants.length === 0 ? [[]] : chunksOf(tenants, PAGE)) {
      for (const { holder, tenant, address, token, amount } of await reader.residues(part)) {
        const about = tenant === null ? {} : { operatorOf: tenant };
        this.#say('residue', `${amount} base units of ${token} are left at ${holder}, ${address}`, about);
      }
      await touch();
    }
  }

  #isIn(payment: ActorDoc, from: number, to: number): boolean {
    const { block, hashes } = paymentContextOf(payment);
    if (block !== null && (block.number < from || block.number > to)) return false;
    const { chainId } = this.#deps.reader;
    const tokenKey = String(payment.attributes['tokenKey']);
    const played = this.#deps.catalog.play(tokenKey, payment.mode);
    return played.ok ? played.play.chainId === chainId : hashes.pullTxHash !== null;
  }

  async #compareTransactions(landed: readonly TransactionDoc[]): Promise<void> {
    const charges = new Map(
      (await this.#chargesById(landed.flatMap(({ chargeIds }) => chargeIds))).map((charge) => [charge._id, charge]),
    );
    for (const { chargeIds, txHash, block } of landed) {
      for (const id of chargeIds.filter((each) => !charges.has(each))) {
        const about = { chargeKey: id.slice(0, id.indexOf(':')), txHash, block: block?.number ?? null };
        this.#say('charge_missing', `the document of the charge ${id} is not there`, about);
      }
    }
    const final = landed.flatMap(({ _id, chargeIds }) =>
      chargeIds
        .flatMap((id) => charges.get(id) ?? [])
        .filter((each) => each.state === 'final' && each.transactionId === _id),
    );
    await this.#compareWithChain(final);
    await this.#compareWithPayments(final.filter((each) => !isRefund(each)));
    await this.deposits.of(final.flatMap(({ deposit, paymentId }) => (deposit ? [paymentId] : [])));
  }

  async #compareCharges(seen: readonly OnChainCharge[]): Promise<void> {
    this.charges += seen.length;
    const byKey = await this.#attempts(seen);
    const made: ChargeDoc[] = [];
    for (const each of seen) {
      const attempts = byKey.get(each.key) ?? [];
      if (isForeign(each, attempts)) {
        this.#sayForeign(each, attempts);
        continue;
      }
      const charge = attempts.find(({ state }) => state === 'final');
      if (charge && !isRefund(charge)) made.push(charge);
      if (charge && each.txHash !== charge.txHash) this.#sayOf('charged_twice', charge, `and in ${each.txHash} again`);
      else if (charge) this.#compareOne(charge, each);
      else if (!(await this.#isOnItsWay(attempts, each.txHash))) this.#sayUnknown(each, attempts);
    }
    await this.#compareWithPayments(made);
  }

  /** All attempts of these keys, by key. Attempts of the seen transactions are read together, others one by one. */
  async #attempts(seen: readonly OnChainCharge[]): Promise<Map<string, ChargeDoc[]>> {
    const { store, reader } = this.#deps;
    const hashes = [...new Set(seen.map(({ txHash }) => txHash))];
    const where = { chainId: reader.chainId, txHash: { in: hashes } };
    const found = seen.length === 0 ? [] : await store.records.find('charges', { where, limit: PAGE * 20 });
    const byKey = new Map<string, ChargeDoc[]>(groupBy(found, ({ key }) => key));
    for (const { key } of seen) {
      if (byKey.get(key)?.some(({ state }) => state === 'final')) continue;
      byKey.set(key, await store.records.find('charges', { where: ofKey(key), limit: PAGE }));
    }
    return byKey;
  }

  /** True if the ledger has exactly this transaction and the reconciler follows it. */
  async #isOnItsWay(attempts: readonly ChargeDoc[], txHash: string): Promise<boolean> {
    const ids = attempts.flatMap(({ state, transactionId }) => (ON_ITS_WAY.has(state) ? (transactionId ?? []) : []));
    const followed = ids.length === 0 ? [] : await this.#deps.store.records.get('transactions', ids);
    return followed.some(({ versions }) => versions.some(({ hash }) => hash === txHash));
  }

  async #compareOthers(others: readonly Movement[]): Promise<void> {
    const known = await this.#known(others.filter(({ mayBeKnown }) => mayBeKnown).map(({ txHash }) => txHash));
    for (const { txHash, block, what } of others.filter((each) => !(each.mayBeKnown && known.has(each.txHash)))) {
      this.#say('unknown_movement', what, { txHash, block });
    }
  }

  /** The transactions that the ledger has signed or reconciled. */
  async #known(txHashes: readonly string[]): Promise<Set<string>> {
    const known = new Set<string>();
    for (const part of chunksOf(txHashes, PAGE)) {
      const where = { chainId: this.#deps.reader.chainId, 'versions.hash': { in: part } };
      const found = await this.#deps.store.records.find('transactions', { where, limit: PAGE * 4 });
      for (const { versions } of found) for (const { hash } of versions) known.add(hash);
    }
    return known;
  }

  async #comparePayments(payments: readonly ActorDoc[]): Promise<void> {
    if (payments.length === 0) return;
    this.payments += payments.length;
    const ids = payments.map(({ _id }) => _id);
    const where = { paymentId: { in: ids } };
    const found = await this.#deps.store.records.find('charges', { where, limit: PAGE * 100 });
    const made = found.filter((each) => !isRefund(each));
    const byPayment = groupBy(made, ({ paymentId }) => paymentId);
    const consented = payments.flatMap((payment) => paymentContextOf(payment).consent?.mandateId ?? []);
    const mandates = await this.#mandates.get([...idsIn(found), ...consented]);
    const landed: ChargeDoc[] = [];
    for (const payment of payments) {
      const attempts = byPayment.get(payment._id) ?? [];
      const charge = attempts.find(({ state }) => state === 'final');
      if (charge) landed.push(charge);
      if (charge) this.#sayPayment(payment, charge, mandates);
      // The payment learns of it first, and then its charge is moved on.
      else if (!attempts.some(({ state }) => ON_ITS_WAY.has(state))) this.#sayMissing(payment, mandates);
    }
    await this.#compareWithChain(landed);
  }

  async #compareWithPayments(charges: readonly ChargeDoc[]): Promise<void> {
    const ids = [...new Set(charges.map(({ paymentId }) => paymentId))];
    const loaded = ids.length === 0 ? [] : await this.#deps.store.actors.load('payment', ids);
    const payments = new Map(loaded.map((payment) => [payment._id, payment]));
    const mandates = await this.#mandates.get(idsIn(charges));
    for (const charge of charges) {
      const payment = payments.get(charge.paymentId);
      if (payment) this.#sayPayment(payment, charge, mandates);
      else this.#sayOf('unknown_charge', charge, 'its payment is not in the ledger');
    }
  }

  async #compareWithChain(charges: readonly ChargeDoc[]): Promise<void> {
    if (charges.length === 0) return;
    const hashes = [...new Set(charges.flatMap(({ txHash }) => txHash ?? []))];
    const seen = await this.#deps.reader.transactions(hashes);
    for (const charge of charges) {
      const found = seen.get(charge.txHash ?? '')?.find((each) => isChargeOf(each, charge));
      if (found) this.#compareOne(charge, found);
      else this.#sayOf('not_on_chain', charge, 'is in the ledger, and the chain does not have it');
    }
  }

  #compareOne(charge: ChargeDoc, seen: OnChainCharge): void {
    const problems = chargeProblems(charge, seen, this.#deps.reader.merchantOf(charge));
    if (problems.length > 0) this.#sayOf('charge_differs', charge, problems.join('; '));
  }

  async #chargesById(ids: readonly string[]): Promise<ChargeDoc[]> {
    const parts = chunksOf([...new Set(ids)], PAGE * 4);
    const found: ChargeDoc[] = [];
    for (const part of parts) found.push(...(await this.#deps.store.records.get('charges', part)));
    return found;
  }

  #sayPayment(payment: ActorDoc, charge: ChargeDoc, mandates: MandatesById): void {
    const { id } = charge.mandate ?? {};
    const mandate = id === undefined ? undefined : mandates.get(id);
    if (id !== undefined && mandate === undefined) {
      this.#sayOf('payment_differs', charge, `its mandate ${id} is not in the ledger`);
      return;
    }
    const problems = paymentProblems(payment, charge, this.#deps.catalog, mandate);
    if (problems.length > 0) this.#sayOf('payment_differs', charge, problems.join('; '));
  }

  #sayMissing(payment: ActorDoc, mandates: MandatesById): void {
    const { hashes, block, consent } = paymentContextOf(payment);
    this.#say('charge_missing', 'is settled, and the document of its charge is not there', {
      paymentId: payment._id,
      chargeKey: chargeKeyOf(payment, mandates.get(consent?.mandateId ?? '')),
      txHash: hashes.pullTxHash,
      block: block?.number ?? null,
    });
  }

  /** It took money in the name of a cycle whose payer has signed something else. */
  #sayForeign(
    { key, txHash, block, gross, token, from, isBounded }: OnChainCharge,
    attempts: readonly ChargeDoc[],
  ): void {
    const [last] = attempts.slice(-1);
    const how = isBounded ? 'under a mandate of another payer' : 'without a mandate';
    const what = `${gross} base units of ${token} were taken from ${from} ${how}, with the key of a charge under mandate ${last?.mandate?.id}`;
    const about = { paymentId: last?.paymentId ?? null, chargeKey: key, txHash, block: block.number };
    this.#say('unknown_charge', what, about);
  }

  #sayUnknown({ key, txHash, block, gross, token, from }: OnChainCharge, attempts: readonly ChargeDoc[]): void {
    const [last] = attempts.slice(-1);
    const ledger = last ? `the ledger says ${last.state}` : 'the ledger has no such charge';
    this.#say('unknown_charge', `${gross} base units of ${token} were taken from ${from}, and ${ledger}`, {
      paymentId: last?.paymentId ?? null,
      chargeKey: key,
      txHash,
      block: block.number,
    });
  }

  #sayOf(kind: DifferenceKind, charge: ChargeDoc, what: string): void {
    const { paymentId, key: chargeKey, txHash, block } = charge;
    this.#say(kind, what, { paymentId, chargeKey, txHash, block: block?.number ?? null });
  }

  #say(kind: DifferenceKind, what: string, about: Partial<Omit<DifferenceDoc, 'kind' | 'chainId' | 'what'>>): void {
    const { chainId } = this.#deps.reader;
    const nothing = { paymentId: null, chargeKey: null, txHash: null, block: null };
    this.#deps.findings.add({ kind, chainId, ...nothing, what, ...about });
  }
}

function idsIn(charges: readonly ChargeDoc[]): string[] {
  return charges.flatMap(({ mandate }) => mandate?.id ?? []);
}

/** True if the ledger's attempts of this key are under a mandate, and the chain's charge is none of theirs. */
function isForeign(seen: OnChainCharge, attempts: readonly ChargeDoc[]): boolean {
  const [first] = attempts;
  if (first?.mandate === undefined || seen.isBounded === undefined) return false;
  return attempts.every((attempt) => !isChargeOf(seen, attempt));
}
