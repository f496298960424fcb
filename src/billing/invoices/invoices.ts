import type { ExchangeRate } from '../../../machines/payment/context.ts';
import { refundsOf } from '../../../machines/payment/refunds.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { internalFault } from '../../errors/fault.ts';
import {
  type Correction,
  creditNoteOf,
  type InvoiceContent,
  type IssueTime,
  invoiceNumber,
  invoiceOf,
  yearOf,
} from '../../model/invoice.ts';
import { paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import { timeZoneOf } from '../../model/time-zones.ts';
import type { ChargeDoc, InvoiceDoc, MerchantDoc } from '../../store/collections.ts';
import type { ActorDoc, StoredActor, Tenant } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import { brandingOf } from '../administration/branding.ts';
import type { ExtraEvents } from '../events/extra-events.ts';
import { type Rates, rateOf } from '../offers/rates.ts';
import { invoicesOf, isInvoiced } from '../receipts/invoices.ts';
import { offerNameOf } from '../receipts/offer-name.ts';

export interface InvoicesDeps {
  readonly store: Pick<Store, 'actors' | 'records'>;
  readonly catalog: Catalog;
  readonly clock: () => Date;
  readonly rates: Rates;
  readonly settings: Pick<ExtraEvents, 'read' | 'invoicing'>;
}

/** By payment. */
export type ChargeRates = ReadonlyMap<string, ExchangeRate>;

/** Another process may take a number first: then this one takes the next. */
const ATTEMPTS_MAX = 1_000;

/**
 * Issues invoices and credit notes, each once and without gaps in their numbers (docs/rules.md, "Invoices"). Every call
 * may be repeated, in any number of processes. Only workers call it.
 */
export class Invoices {
  readonly #deps: InvoicesDeps;

  constructor(deps: InvoicesDeps) {
    this.#deps = deps;
  }

  /** What the tokens of these charges are worth now, for merchants that make invoices. */
  async ratesOf(charges: readonly ChargeDoc[]): Promise<ChargeRates> {
    const { catalog, settings, rates, clock } = this.#deps;
    if (charges.length > 0) await settings.read(charges);
    const found = new Map<string, ExchangeRate>();
    for (const charge of charges) {
      const currency = settings.invoicing(charge)?.currency;
      const tokens = catalog.chain(charge.chainId)?.tokens ?? [];
      const ticker = tokens.find(({ address }) => address === charge.token)?.ticker;
      if (currency === undefined || ticker === undefined) continue;
      const rate = await rateOf(rates, ticker, currency, clock());
      if (rate !== null) found.set(charge.paymentId, rate);
    }
    return found;
  }

  /** The blocks of these charges are finalized: their payments get their invoices. */
  async issue(charges: readonly ChargeDoc[]): Promise<void> {
    for (const payment of await this.#invoiced(charges)) await this.#issueOne(payment);
  }

  /** A reorganization removed these charges after all. An invoice stays, and the rest of it is credited. */
  async reverse(charges: readonly ChargeDoc[]): Promise<void> {
    for (const { paymentId } of charges) {
      const [payment] = await this.#deps.store.actors.load('payment', [paymentId]);
      if (payment === undefined) continue;
      const at = this.#deps.clock();
      await this.#correct(payment, (invoice, left) => {
        const subject = `${invoice.subject}:reversed`;
        return left === 0n ? null : { kind: 'reversal', subject, amount: left, at, transaction: invoice.transaction };
      });
    }
  }

  /** Up to this block the chain is finalized: the payment's refunds there get their credit notes. */
  async credit(payment: ActorDoc, finalized: number): Promise<void> {
    const context = paymentContextOf(payment);
    const { block } = context;
    const final = refundsOf(context).filter(
      ({ status, transfer }) => status === 'settled' && transfer !== null && transfer.block.number <= finalized,
    );
    if (final.length === 0 || block === null || block.number > finalized) return;
    const { merchantId, mode, _id: paymentId } = payment;
    const [invoiced] = await this.#invoiced([{ merchantId, mode, paymentId }]);
    if (invoiced === undefined) return;
    await this.#issueOne(invoiced);
    for (const { id: subject, amount, settledAt, transfer } of final) {
      const at = new Date(settledAt ?? this.#deps.clock());
      const transaction = transfer?.transaction ?? null;
      await this.#correct(payment, () => ({ kind: 'refund', subject, amount: BigInt(amount), at, transaction }));
    }
  }

  /** The settled ones among them whose merchants made invoices when they settled. */
  async #invoiced(about: readonly Pick<ChargeDoc, 'merchantId' | 'mode' | 'paymentId'>[]): Promise<StoredActor[]> {
    const { store, settings } = this.#deps;
    if (about.length > 0) await settings.read(about);
    const ids = about.flatMap((each) => (settings.invoicing(each) === null ? [] : [each.paymentId]));
    if (ids.length === 0) return [];
    const payments = await store.actors.load('payment', [...new Set(ids)]);
    const quarantined = payments.find(({ quarantine }) => quarantine !== null);
    if (quarantined !== undefined) throw new Error(`${quarantined._id} is quarantined, and gets its invoice later`);
    return payments.filter((payment) => {
      const invoicing = settings.invoicing(payment);
      return invoicing !== null && isInvoiced({ invoicing }, payment);
    });
  }

  async #issueOne(payment: StoredActor): Promise<void> {
    const { store } = this.#deps;
    const { customerId } = paymentAttributes.parse(payment.attributes);
    const [merchant, customer, offerName] = await Promise.all([
      this.#merchantOf(payment),
      customerId === null ? null : tenantStore(store, payment).record('customers', customerId),
      offerNameOf(store, payment),
    ]);
    const { invoicing } = merchant;
    if (invoicing === undefined) throw new Error(`${merchant._id} does not say how it makes invoices`);
    const { legalName, legalAddress } = brandingOf(merchant);
    const seller = { ...invoicing, name: legalName ?? merchant.name, address: legalAddress };
    const party = {
      name: customer?.name ?? customer?.email ?? paymentContextOf(payment).fromWallet ?? payment._id,
      ...{ address: customer?.address ?? null, country: customer?.country ?? null, taxId: customer?.taxId ?? null },
    };
    const facts = { invoicing, seller, customer: party, language: customer?.language ?? null, offerName };
    await this.#store(payment, merchant, (_known, when) => invoiceOf(payment, { ...facts, ...when }));
  }

  /** Corrects the newest invoice of a payment, if it has one. `by` null: there is nothing to correct. */
  async #correct(payment: ActorDoc, by: (invoice: InvoiceDoc, left: bigint) => Correction | null): Promise<void> {
    await this.#store(payment, await this.#merchantOf(payment), (known, when) => {
      const invoice = known.findLast(({ corrects }) => corrects === null);
      if (invoice === undefined) return null;
      const notes = known.filter(({ corrects }) => corrects === invoiceNumber(invoice));
      const credited = notes.reduce((sum, { total }) => sum + BigInt(total), 0n);
      const correction = by(invoice, BigInt(invoice.total) - credited);
      return correction && creditNoteOf(invoice, correction, credited, when);
    });
  }

  /**
   * Stores a document about a payment under the number after the last one of its series. The insert is the commit: a
   * number exists only with its document, and only after the number before it. The last number is read first, so what
   * is written knows every document before it.
   */
  async #store(
    payment: ActorDoc,
    merchant: MerchantDoc,
    contentOf: (known: readonly InvoiceDoc[], when: IssueTime) => InvoiceContent | null,
  ): Promise<void> {
    const { store, clock } = this.#deps;
    const { merchantId, mode, _id: paymentId } = payment;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const when = { timeZone: timeZoneOf(merchant), now: clock() };
      const where = { year: yearOf(when) };
      const [last] = await tenantStore(store, payment).find('invoices', { where, sort: [['number', -1]], limit: 1 });
      const known = await invoicesOf(store, payment, [paymentId]);
      const content = contentOf(known, when);
      if (content === null || known.some(({ subject }) => subject === content.subject)) return;
      const number = (last?.number ?? 0) + 1;
      const doc = { _id: `${merchantId}:${mode}:${content.year}:${number}`, number, ...content };
      const [verdict] = await store.records.insert('invoices', [doc]);
      if (verdict?.inserted === true || verdict?.index === 'subject') return;
    }
    throw internalFault(`the invoices of ${merchantId} found no free number in ${ATTEMPTS_MAX} attempts`);
  }

  async #merchantOf({ merchantId }: Tenant): Promise<MerchantDoc> {
    const [merchant] = await this.#deps.store.records.get('merchants', [merchantId]);
    if (merchant === undefined) throw new Error(`there is no merchant ${merchantId}`);
    return merchant;
  }
}
