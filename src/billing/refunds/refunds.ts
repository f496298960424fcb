import { REFUNDS_MAX } from '../../../machines/payment/context.ts';
import { leftToRefund, refundsOf } from '../../../machines/payment/refunds.ts';
import type { RefundState } from '../../../machines/refund/context.ts';
import { later } from '../../../machines/rules/period.ts';
import type { Play } from '../../chains/catalog.ts';
import { isRefund } from '../../chains/charges.ts';
import { refundKey } from '../../chains/evm/contracts/router.ts';
import type { Chain, RefundTransaction } from '../../chains/port.ts';
import { actorTime } from '../../engine/projection.ts';
import type { SentBy } from '../../engine/types.ts';
import { conflict, invalid, notFound } from '../../errors/fault.ts';
import { requireAddress } from '../../model/addresses.ts';
import { formatAmount, parseAmount } from '../../model/amounts.ts';
import { paymentAttributes, paymentContextOf, playOf } from '../../model/payment.ts';
import { pick } from '../../model/pick.ts';
import { REFUND_MS, refundWatchId } from '../../model/refund.ts';
import type { DepositDoc, WatchDoc } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { siblingId } from '../../store/ids.ts';
import { requireTaken } from '../actors/refusals.ts';
import type { BillingDeps } from '../deps.ts';
import { requirePayment } from '../payments/payments.ts';
import type { Created } from '../resources/idempotency.ts';

export interface RefundRequest {
  /** Token units; null: all that is left. */
  readonly amount: string | null;
  readonly reason: string | null;
  /** The merchant's wallet that is to send it; null: the one that was paid. */
  readonly fromWallet: string | null;
  readonly idempotencyKey: string;
  readonly requestHash: string;
}

/** A refund of a payment, with what the merchant's wallet has to send. */
export interface PaymentRefund {
  readonly payment: ActorDoc;
  readonly refund: RefundState;
  /** Null: there is nothing to send any more, or the chain does not answer now. */
  readonly draft: RefundToSend | null;
  readonly sent?: SentByWallets | undefined;
}

/** What wallets have sent for refunds that wait for it, as the merchant says. */
export type SentByWallets = NonNullable<WatchDoc['sent']>;

/** What the wallet sends, and what it has of the token, in token units. */
interface RefundToSend {
  readonly transactions: readonly RefundTransaction[];
  readonly balance: string;
}

/** The refunds of a payment, and its deposits, whose rest the service returns. */
export interface RefundList {
  readonly payment: ActorDoc;
  readonly refunds: readonly RefundState[];
  readonly sent: SentByWallets | undefined;
  /** Null: the payment was not made by transfer. */
  readonly deposits: DepositDoc | null;
}

/**
 * Requests a refund, which the merchant's own wallet sends (docs/rules.md, "Refunds"). Throws 400 for a bad amount or
 * wallet, 404, and 409 if the payment is not settled, if less is left, if nobody can be refunded, or if the named
 * wallet has too little.
 */
export async function requestRefund(
  deps: BillingDeps,
  tenant: Tenant,
  spelling: string,
  request: RefundRequest,
  publicUrl: string,
  by: SentBy,
): Promise<Created<PaymentRefund>> {
  const payment = await requirePayment(deps, tenant, spelling);
  const earlier = withKey(payment, request);
  if (earlier !== undefined) {
    const resource = await withDraft(deps, payment, earlier, request.fromWallet);
    return { resource, replayed: true, mismatch: earlier.requestHash !== request.requestHash };
  }
  const { chain, play } = chainOf(deps, payment);
  const amount = requireAmount(deps, payment, request.amount);
  const receiver = await requireReceiver(deps, payment, publicUrl);
  const id = siblingId('ref', payment._id, `refund:${request.idempotencyKey}`);
  const now = actorTime(deps.clock(), payment.clockOffsetMs);
  const refund = {
    id,
    ...pick(request, 'idempotencyKey', 'requestHash', 'reason'),
    amount: String(amount),
    due: String(play.rescale(amount)),
    key: await keyOf(deps, payment, chain, id),
    receiver,
    since: await chain.refunds.searchStart(),
    expiresAt: later(now, REFUND_MS),
  };
  const wallet = senderOf(deps, payment, request.fromWallet);
  const drafted = await draft(deps, payment, refund, wallet, request.fromWallet !== null);
  const event = { type: 'refund.requested', refund } as const;
  const result = await deps.engine.dispatch({ kind: 'payment', id: payment._id, event, by, seen: payment });
  if (result.kind === 'refused') requireAmount(deps, result.doc, request.amount);
  const doc = requireTaken(result, { name: 'refund', needs: NEEDS });
  await deps.engine.completed(payment._id);
  const made = withKey(doc, request);
  if (made === undefined) throw conflict('Other refunds of this payment came first; ask again');
  const resource = { payment: doc, refund: made, draft: drafted };
  // Another request with this key may have come first.
  const isFirst = result.kind === 'taken' && result.changed;
  return { resource, replayed: !isFirst, mismatch: made.requestHash !== request.requestHash };
}

/** The refund with fresh transactions for this wallet of the merchant. Throws 400 for a bad wallet, and 404. */
export async function readRefund(
  deps: BillingDeps,
  tenant: Tenant,
  { paymentId, refundId }: { readonly paymentId: string; readonly refundId: string },
  fromWallet: string | null,
): Promise<PaymentRefund> {
  const payment = await requirePayment(deps, tenant, paymentId);
  return withDraft(deps, payment, requireRefund(payment, refundId), fromWallet);
}

async function withDraft(
  deps: BillingDeps,
  payment: ActorDoc,
  refund: RefundState,
  fromWallet: string | null,
): Promise<PaymentRefund> {
  const wallet = senderOf(deps, payment, fromWallet);
  const [drafted, sent] = await Promise.all([
    draft(deps, payment, refund, wallet, false),
    sentFor(deps, payment, [refund]),
  ]);
  return { payment, refund, draft: drafted, sent };
}

/**
 * Notes that a wallet has sent a requested refund, so that nobody sends it once more before a block has the transfer.
 * Once it is not requested any more, nothing changes. Throws 404.
 */
export async function noteRefundSent(
  deps: BillingDeps,
  tenant: Tenant,
  { paymentId, refundId }: { readonly paymentId: string; readonly refundId: string },
  txHash: string | null,
): Promise<PaymentRefund> {
  const payment = await requirePayment(deps, tenant, paymentId);
  const refund = requireRefund(payment, refundId);
  if (refund.status !== 'requested') return { payment, refund, draft: null };
  const set = { [`sent.${refundId}`]: { txHash, at: deps.clock() } };
  const watch = await deps.store.records.change('watches', refundWatchId(payment._id), {}, { set });
  return { payment, refund, draft: null, sent: watch?.sent };
}

async function sentFor(
  { store }: BillingDeps,
  payment: ActorDoc,
  refunds: readonly RefundState[],
): Promise<SentByWallets | undefined> {
  if (!refunds.some(({ status }) => status === 'requested')) return undefined;
  const [watch] = await store.records.get('watches', [refundWatchId(payment._id)]);
  return watch?.sent;
}

/** Throws 404. */
export async function listRefunds(deps: BillingDeps, tenant: Tenant, spelling: string): Promise<RefundList> {
  const payment = await requirePayment(deps, tenant, spelling);
  const refunds = refundsOf(paymentContextOf(payment));
  const [deposits, sent] = await Promise.all([
    isTransfer(payment) ? deps.store.records.get('deposits', [payment._id]) : [],
    sentFor(deps, payment, refunds),
  ]);
  return { payment, refunds, sent, deposits: deposits[0] ?? null };
}

/**
 * Gives a requested refund up, so that its amount can be refunded otherwise. A transfer that comes all the same counts.
 * Throws 404, and 409 if the refund is not requested any more.
 */
export async function cancelRefund(
  deps: BillingDeps,
  tenant: Tenant,
  { paymentId, refundId }: { readonly paymentId: string; readonly refundId: string },
  by: SentBy,
): Promise<PaymentRefund> {
  const seen = await requirePayment(deps, tenant, paymentId);
  requireRefund(seen, refundId);
  const event = { type: 'refund.canceled', refundId } as const;
  const result = await deps.engine.dispatch({ kind: 'payment', id: seen._id, event, by, seen });
  if (result.kind === 'refused')
    throw conflict(`Refund is ${requireRefund(result.doc, refundId).status}; cancel needs requested`);
  const payment = requireTaken(result, { name: 'cancel', needs: 'requested' });
  return { payment, refund: requireRefund(payment, refundId), draft: null };
}

const NEEDS = 'settled';

function withKey(
  payment: ActorDoc,
  { idempotencyKey }: Pick<RefundRequest, 'idempotencyKey'>,
): RefundState | undefined {
  return refundsOf(paymentContextOf(payment)).find((refund) => refund.idempotencyKey === idempotencyKey);
}

function requireRefund(payment: ActorDoc, refundId: string): RefundState {
  const refund = refundsOf(paymentContextOf(payment)).find(({ id }) => id === refundId);
  if (refund === undefined) throw notFound();
  return refund;
}

/** The base units of the payment's token that are to be refunded. Throws 400 and 409. */
function requireAmount({ catalog }: Pick<BillingDeps, 'catalog'>, payment: ActorDoc, text: string | null): bigint {
  if (payment.status !== 'settled') throw conflict(`Payment is ${payment.status}; refund needs ${NEEDS}`);
  const context = paymentContextOf(payment);
  const token = catalog.tokenByKey(paymentAttributes.parse(payment.attributes).tokenKey);
  if (token === undefined) throw new Error(`${payment._id} is in an unknown token`);
  const left = leftToRefund(context);
  const amount = text === null ? left : parseAmount(text, token, 'amount');
  const shown = (units: bigint) => `${formatAmount(units, token.decimals)} ${token.ticker}`;
  if (text !== null && amount === 0n) throw invalid('amount must be more than zero');
  const paid = shown(BigInt(context.amount));
  if (left === 0n) throw conflict(`Nothing is left to refund: settled and requested refunds are the ${paid} paid`);
  if (amount > left) {
    throw conflict(
      `amount must be at most ${shown(left)}: the refunds of a payment return no more than the ${paid} paid`,
    );
  }
  if (refundsOf(context).length >= REFUNDS_MAX)
    throw conflict(`Payment has ${REFUNDS_MAX} refunds, the most that one can have`);
  return amount;
}

/**
 * Who gets the money: the wallet that paid, or of a transfer the refund wallet, because nobody knows whose account has
 * sent it. Throws 409 if there is none.
 */
async function requireReceiver({ store }: BillingDeps, payment: ActorDoc, publicUrl: string): Promise<string> {
  const { fromWallet } = paymentContextOf(payment);
  if (!isTransfer(payment)) {
    if (fromWallet === null) throw new Error(`${payment._id} is settled, and no wallet has paid it`);
    return fromWallet;
  }
  const { refundWallet, offerId } = paymentAttributes.parse(payment.attributes);
  const [book] = await store.records.get('deposits', [payment._id]);
  const receiver = book?.refundWallet ?? refundWallet;
  if (receiver !== null) return receiver;
  const page = offerId === null ? null : `${publicUrl}/checkout/${offerId}?refund`;
  const ask =
    page === null
      ? 'it was made without one'
      : `the payer names it on the page of the purchase, ${page}, in the browser that paid`;
  throw conflict(`Payment is a wallet_transfer without refundWallet; refund needs one: ${ask}`);
}

function isTransfer(payment: ActorDoc): boolean {
  return paymentAttributes.parse(payment.attributes).paymentMethod === 'wallet_transfer';
}

function chainOf({ catalog, chains }: BillingDeps, payment: ActorDoc): { readonly chain: Chain; readonly play: Play } {
  const play = playOf(catalog, payment);
  const chain = chains.get(play.chainId);
  if (!chain?.enabled) throw conflict('Payment is on a chain that is not enabled now; refund needs one that is');
  return { chain, play };
}

/** The merchant's wallet that sends. Throws 400. */
function senderOf({ catalog }: BillingDeps, payment: ActorDoc, fromWallet: string | null): string | null {
  if (fromWallet === null) return paymentContextOf(payment).toWallet;
  const family = catalog.chain(paymentAttributes.parse(payment.attributes).chainId)?.family ?? 'evm';
  return requireAddress(family, fromWallet, 'fromWallet');
}

/** EVM: the key of the charge that landed. Solana: a key of the refund's own, that only this payment's secret gives. */
async function keyOf({ store }: BillingDeps, payment: ActorDoc, { family }: Chain, refundId: string): Promise<string> {
  if (family === 'solana') return refundKey(refundId, paymentAttributes.parse(payment.attributes).chargeSecret);
  const { landedAttempt } = paymentContextOf(payment);
  const where = { paymentId: payment._id, ...(landedAttempt === undefined ? {} : { attempt: landedAttempt }) };
  const charges = await store.records.find('charges', { where, sort: [['attempt', -1]], limit: CHARGES_MAX });
  const charge =
    charges.find((each) => !isRefund(each) && each.state === 'final') ?? charges.find((each) => !isRefund(each));
  if (charge === undefined) throw new Error(`${payment._id} is settled, and has no charge`);
  return charge.key;
}

/** Greater than the number of submissions of any attempt, and of refunds of its deposits. */
const CHARGES_MAX = 1_000;

/**
 * The transactions for the merchant's wallet; null: there is nothing to send, or the chain does not answer. Throws 409
 * if the wallet that somebody named has too little.
 */
async function draft(
  deps: BillingDeps,
  payment: ActorDoc,
  refund: Pick<RefundState, 'id' | 'key' | 'receiver' | 'due' | 'amount'> & { readonly status?: RefundState['status'] },
  from: string | null,
  isNamed: boolean,
): Promise<RefundToSend | null> {
  const play = playOf(deps.catalog, payment);
  const chain = deps.chains.get(play.chainId);
  if (!chain?.enabled || from === null || (refund.status ?? 'requested') !== 'requested') return null;
  const { id: refundId, key, receiver: to, due } = refund;
  const asked = { key, paymentId: payment._id, refundId, token: play.token, from, to, amount: BigInt(due) };
  const drafted = await chain.refunds.draft(asked).catch((error: unknown) => {
    deps.log.warn({ err: error, chainId: chain.chainId }, 'a chain does not answer; a refund has no transactions yet');
    return null;
  });
  if (drafted === null) return null;
  const shown = (units: bigint) => formatAmount(units, play.decimals);
  const balance = shown(drafted.balance);
  if (isNamed && drafted.balance < BigInt(due)) {
    const ticker = deps.catalog.tokenByKey(play.tokenKey)?.ticker ?? '';
    throw conflict(`fromWallet has ${balance} ${ticker}; refund needs ${shown(BigInt(due))}`);
  }
  return { transactions: drafted.transactions, balance };
}
