import { conflict, invalid, notFound } from '../../errors/fault.ts';
import { isSameAddress } from '../../model/addresses.ts';
import { isByBalance } from '../../model/deposit.ts';
import type { CheckoutSessionDoc, DepositArrival } from '../../store/collections.ts';
import { changeBook } from '../deposits/book.ts';
import { settleDeposits } from '../deposits/settle.ts';
import { watchAddress } from '../deposits/watch.ts';
import { chainOf, requirePayoutAddress } from '../payout/payout-address.ts';
import type { CheckoutDeps } from './deps.ts';
import { requireTokenOnChain } from './token-on-chain.ts';

/** After this number of refused refunds of one deposit, only staff send it again. */
const REFUSED_MAX = 10;

/**
 * Names or corrects the receiver of what the deposit of a session does not use, and requests the refunds of money that
 * is held because there was none, or because the former one refused it. A refund that is on its way keeps its receiver.
 * Anyone who has the session's key may do this (docs/rules.md, "Checkout API"). Throws 400 for an address that money
 * cannot be sent to, and 409 if the session is not paid by transfer or has no deposit address yet.
 */
export async function nameRefundWallet(deps: CheckoutDeps, session: CheckoutSessionDoc, text: string): Promise<void> {
  if (session.wallet !== null) throw conflict('Session is paid from a wallet; a refund wallet needs wallet_transfer');
  const { requested } = requireTokenOnChain(deps, session, session.terms.tokenKey);
  const wallet = await requirePayoutAddress(deps, session, chainOf(requested), text, 'refundWallet');
  const isSame = (other: string | undefined) => other !== undefined && isSameAddress(requested.family, other, wallet);
  const paymentId = session.paymentIds.at(-1) ?? '';
  const { records } = deps.store;
  const book = await changeBook({ records, clock: deps.clock }, paymentId, async (doc) => {
    if (isSame(doc.address)) throw invalid('refundWallet must not be the deposit address itself');
    const isToReopen = (each: DepositArrival) => isRefused(each) && !isSame(each.refund?.to);
    if (isSame(doc.refundWallet ?? undefined) && !doc.arrivals.some(isToReopen)) return null;
    // If this process dies before it requests the refunds, a check of the address does.
    await watchAddress({ records, catalog: deps.catalog, clock: deps.clock }, doc);
    return {
      refundWallet: wallet,
      arrivals: doc.arrivals.map((each) => (isToReopen(each) ? reopened(each) : each)),
    };
  });
  if (book === null) throw conflict('Session has no deposit address; a refund wallet needs one');
  const [payment] = await deps.store.actors.load('payment', [paymentId]);
  if (payment === undefined) throw notFound();
  await settleDeposits(deps, payment);
}

/** The receiver of its refund has refused it. Staff decide about money that only the balance shows. */
function isRefused(arrival: DepositArrival): boolean {
  const { held, refund } = arrival;
  return held === 'refund_refused' && !isByBalance(arrival) && (refund?.attempt ?? 0) < REFUSED_MAX;
}

function reopened(arrival: DepositArrival): DepositArrival {
  return { ...arrival, fate: 'open', held: null };
}
