import type { Catalog } from '../../chains/catalog.ts';
import { isNativeCoin } from '../../chains/charges.ts';
import { conflict, invalid, notFound } from '../../errors/fault.ts';
import { isSameAddress } from '../../model/addresses.ts';
import { leftOf, refunding } from '../../model/deposit.ts';
import { type ListPage, type Page, readPage } from '../../model/lists.ts';
import type { ChainFamily, DepositArrival, DepositDoc } from '../../store/collections.ts';
import type { Store } from '../../store/port.ts';
import { changeBook, type RefundDeps, requestRefunds, rulesFor } from '../deposits/settle.ts';
import { watchAddress } from '../deposits/watch.ts';
import { chainOf, type PayoutAddressDeps, requirePayoutAddress } from '../payout/payout-address.ts';
import { keepEntries, type StaffOrder, staffEntry } from './staff-journal.ts';

/** A deposit for a payment, as shown to staff. */
export interface StaffDeposit {
  readonly book: DepositDoc;
  readonly arrival: DepositArrival;
  /** The token that arrived; null if the catalog does not have it. */
  readonly token: { readonly key: string; readonly decimals: number } | null;
  /** The unit in which its amounts are shown. */
  readonly unit: { readonly name: string; readonly decimals: number };
}

type ReadDeps = { readonly store: Pick<Store, 'records'>; readonly catalog: Catalog };

/** The held deposits, page by page of payments; the payment with the latest one first. */
export async function heldDeposits(deps: ReadDeps, page: Page): Promise<ListPage<StaffDeposit>> {
  const { items: books, hasMore } = await readPage(page, {
    sort: [['heldAt', -1]],
    get: async (paymentId) => (await deps.store.records.get('deposits', [paymentId]))[0] ?? null,
    find: (query) => deps.store.records.find('deposits', { where: { heldAt: { gt: new Date(0) } }, ...query }),
  });
  const all = books.flatMap((book) => depositsIn(deps, book));
  return { items: all.filter(({ arrival }) => arrival.fate === 'held'), hasMore };
}

/** All deposits for a payment. Throws 404 if the payment is not paid by deposit. */
export async function depositsOf(deps: ReadDeps, paymentId: string): Promise<StaffDeposit[]> {
  const [book] = await deps.store.records.get('deposits', [paymentId]);
  if (book === undefined) throw notFound();
  return depositsIn(deps, book);
}

/**
 * Sends the held amount of a deposit to `to`, or to the payment's refund wallet if `to` is null. The write that decides
 * this includes the journal entry with the reason. Throws 404, 400 if there is no valid address to send to, and 409 if
 * the deposit is not held.
 */
export async function sendDeposit(
  deps: RefundDeps,
  depositId: string,
  to: string | null,
  order: StaffOrder,
): Promise<StaffDeposit> {
  const { records } = deps.store;
  const [known] = await records.find('deposits', { where: { 'arrivals.id': depositId }, limit: 1 });
  if (known === undefined) throw notFound();
  const token = known.arrivals.find(({ id }) => id === depositId)?.token ?? known.token;
  const receiver = await receiverOf(deps, { ...known, token }, to);
  const book = await changeBook({ records, clock: deps.clock }, known._id, async (doc) => {
    const index = doc.arrivals.findIndex(({ id }) => id === depositId);
    const arrival = doc.arrivals[index];
    if (arrival === undefined) throw notFound();
    if (arrival.fate !== 'held') throw conflict(`Deposit is ${arrival.fate}; send needs held`);
    if (arrival.held === 'unread') {
      throw conflict('Deposit is unread: it may still pay for its payment once a node shows its transaction');
    }
    await keepEntries(records, [doc.staffEntry]);
    // If this process dies after the decision, no refund is queued: the watch makes a later check queue it.
    await watchAddress({ records, catalog: deps.catalog, clock: deps.clock }, doc);
    const now = refunding(arrival, receiver, rulesFor(deps, doc, deps.clock()));
    const details = { depositId, paymentId: doc._id, token: arrival.token, amount: `${leftOf(arrival)}`, to: receiver };
    const entry = staffEntry(order, doc.merchantId, deps.clock(), { action: 'deposit.sent', details });
    return { arrivals: doc.arrivals.with(index, now), staffEntry: entry };
  });
  if (book === null) throw notFound();
  await keepEntries(records, [book.staffEntry]);
  await requestRefunds(deps, book);
  const after = depositsIn({ catalog: deps.catalog }, book).find(({ arrival }) => arrival.id === depositId);
  if (after === undefined) throw notFound();
  return after;
}

async function receiverOf(
  deps: PayoutAddressDeps,
  { merchantId, mode, chainId, address, refundWallet, token }: DepositDoc,
  to: string | null,
): Promise<string> {
  const paidOn = chainOf({ family: deps.catalog.chain(chainId)?.family ?? 'evm', chainId, address: token });
  const { family } = paidOn;
  const text = to ?? refundWallet;
  if (text === null) throw invalid('to is required: the payment names no refundWallet');
  const receiver = await requirePayoutAddress(deps, { merchantId, mode }, paidOn, text, 'to');
  const forbidden = [address, token].some((other) => isSameAddress(family, other, receiver));
  if (forbidden) throw invalid('to must be neither the deposit address itself nor the token');
  return receiver;
}

const NATIVE_DECIMALS = { evm: 18, solana: 9 } as const satisfies Record<ChainFamily, number>;

function unitOf(token: string, family: ChainFamily): StaffDeposit['unit'] {
  return isNativeCoin(token)
    ? { name: 'native coin', decimals: NATIVE_DECIMALS[family] }
    : { name: `base units of ${token}`, decimals: 0 };
}

function depositsIn({ catalog }: Pick<ReadDeps, 'catalog'>, book: DepositDoc): StaffDeposit[] {
  const { tokens = [], family = 'evm' } = catalog.chain(book.chainId) ?? {};
  return book.arrivals.map((arrival) => {
    const token = tokens.find(({ address }) => address === arrival.token);
    return {
      book,
      arrival,
      token: token ? { key: token.key, decimals: token.decimals } : null,
      unit: token ? { name: token.key, decimals: token.decimals } : unitOf(arrival.token, family),
    };
  });
}
