import type { PaymentContext } from '../../../machines/payment/context.ts';
import { isSameTransfer, refundsOf } from '../../../machines/payment/refunds.ts';
import type { RefundState } from '../../../machines/refund/context.ts';
import { divide } from '../../../machines/rules/money.ts';
import type { Catalog } from '../../chains/catalog.ts';
import type { OnChainCharge, OnChainRefund } from '../../chains/chain-reader.ts';
import { assetOf, ofKey } from '../../chains/charges.ts';
import { groupBy } from '../../chains/group-by.ts';
import { comparableAddress } from '../../model/addresses.ts';
import { chargeKeyOf, feeUnder } from '../../model/consent.ts';
import { paymentAttributes, paymentContextOf, playOf } from '../../model/payment.ts';
import { refundEvents, refundKeys, refundWatchId } from '../../model/refund.ts';
import type { ChargeDoc, DifferenceKind, MandateDoc, ShareRole } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { AuditorDeps } from './findings.ts';

/** Blocks (Solana: slots), both ends included. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Payments at once. Each has up to 50 refunds, and a node of Solana needs a call for each. */
const PAGE = 50;

/** The entry of the staff journal that acknowledges the `unknown_refund` of this payment in this transaction. */
export function acknowledgementId(paymentId: string, transaction: string): string {
  return `unknown_refund:${paymentId}:${transaction}`;
}

/** Compares the refunds that merchants send with those of the payments, in both directions. */
export class RefundAudit {
  readonly #deps: AuditorDeps;

  constructor(deps: AuditorDeps) {
    this.#deps = deps;
  }

  /** Checks that each of these is a refund of the payment whose key it names. Anybody may name any other key. */
  async onChain(seen: readonly OnChainRefund[]): Promise<void> {
    const { actors, records } = this.#deps.store;
    for (const [key, mine] of groupBy(seen, (refund) => refund.key)) {
      const [charge] = await records.find('charges', { where: ofKey(key), limit: 1 });
      const [payment] = charge === undefined ? [] : await actors.load('payment', [charge.paymentId]);
      if (payment !== undefined) await this.#sayUnknown(payment, mine);
    }
  }

  /** All refunds of the chain whose transfers are in these blocks. */
  async all({ from, to }: Stretch): Promise<void> {
    const { store, catalog, reader, touch } = this.#deps;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const where = { _id: { gt: after }, 'context.refunds.id': { gt: '' } };
      const page = await store.actors.find('payment', { where, sort: [['_id', 1]], limit: PAGE });
      const mine = page.filter((payment) => playOf(catalog, payment).chainId === reader.chainId);
      const seen = await reader.refunds(mine.flatMap((payment) => refundKeys(paymentContextOf(payment))));
      // The chain is read first, so that a refund that settles meanwhile explains itself.
      for (const payment of await store.actors.load(
        'payment',
        mine.map(({ _id }) => _id),
      )) {
        const keys = new Set(refundsOf(paymentContextOf(payment)).map(({ key }) => key));
        const own = seen.filter(({ key, block }) => keys.has(key) && block.number >= from && block.number <= to);
        this.#compare(payment, own, { from, to });
        await this.#sayUnknown(payment, own);
      }
      await touch();
      after = page.length < PAGE ? undefined : page.at(-1)?._id;
    }
  }

  #compare(payment: ActorDoc, seen: readonly OnChainRefund[], { from, to }: Stretch): void {
    const { token } = playOf(this.#deps.catalog, payment);
    for (const refund of refundsOf(paymentContextOf(payment))) {
      const { transfer, status } = refund;
      if (status !== 'settled' || transfer === null || transfer.block.number < from || transfer.block.number > to)
        continue;
      const made = seen.find((each) => each.key === refund.key && isSameTransfer(each, transfer));
      const problems =
        made === undefined ? ['is settled, and the chain does not have it'] : refundProblems(refund, made, token);
      if (problems.length === 0) continue;
      this.#say('refund_differs', payment, transfer, `${refund.id}: ${problems.join('; ')}`);
    }
  }

  /** The watch of a payment tells it of a transfer that came a moment ago. */
  async #sayUnknown(payment: ActorDoc, seen: readonly OnChainRefund[]): Promise<void> {
    const context = paymentContextOf(payment);
    const { token } = playOf(this.#deps.catalog, payment);
    const mine = seen.filter((each) => each.token === token && each.amount > 0n && this.#concerns(context, each));
    const isHeld = (each: OnChainRefund) =>
      refundsOf(context).some(({ transfer }) => transfer !== null && isSameTransfer(transfer, each));
    const strays = mine.filter((each) => !isHeld(each));
    if (strays.length === 0) return;
    const { reader, store } = this.#deps;
    const [watch] = await store.records.get('watches', [refundWatchId(payment._id)]);
    const found = mine.map((each) => ({ ...each, isFinal: true }));
    const events = watch === undefined ? [] : refundEvents(context, { found, gone: [] }, reader.family);
    const told = events.flatMap((event) => ('transfer' in event ? event.transfer : []));
    const unknown = strays.filter((each) => !told.some((transfer) => isSameTransfer(transfer, each)));
    const entry = ({ transaction }: OnChainRefund) => acknowledgementId(payment._id, transaction);
    const entries = await store.records.get('staffJournal', [...new Set(unknown.map(entry))]);
    for (const stray of unknown.filter((each) => !entries.some(({ _id }) => _id === entry(each)))) {
      const what = `${stray.amount} base units of ${token} were given back by ${stray.from} to ${stray.receiver}`;
      this.#say('unknown_refund', payment, stray, `${what}, and no refund of the payment has this transfer`);
    }
  }

  /** Between strangers it concerns nobody: the key of a charge is public. */
  #concerns({ fromWallet, toWallet, refunds = [] }: PaymentContext, { from, receiver }: OnChainRefund): boolean {
    const plain = (address: string | null) => address && comparableAddress(this.#deps.reader.family, address);
    const payers = [fromWallet, ...refunds.map((refund) => refund.receiver)].map(plain);
    return payers.includes(plain(receiver)) || plain(toWallet) === plain(from);
  }

  #say(
    kind: DifferenceKind,
    { _id: paymentId }: ActorDoc,
    { transaction, block }: Pick<OnChainRefund, 'transaction' | 'block'>,
    what: string,
  ): void {
    const { findings, reader } = this.#deps;
    const { chainId } = reader;
    findings.add({ kind, chainId, paymentId, chargeKey: null, txHash: transaction, block: block.number, what });
  }
}

/** The differences between a charge's document and the chain, one clause each. `merchant`: its name on the chain. */
export function chargeProblems(charge: ChargeDoc, seen: OnChainCharge, merchant: string): string[] {
  const shares = charge.shares.filter(({ amount }) => amount !== '0').map(({ to, amount }) => `${amount} to ${to}`);
  const paid = seen.shares.map(({ to, amount }) => `${amount} to ${to}`);
  return differing([
    ['merchant', merchant, seen.merchant],
    ['token', assetOf(charge), seen.token],
    ['payer', charge.from, seen.from],
    ['amount', charge.gross, String(seen.gross)],
    ['shares', shares.join(', '), paid.join(', ')],
    ['transaction', charge.txHash ?? 'none', seen.txHash],
    ['block', String(charge.block?.number ?? 'none'), String(seen.block.number)],
    ['consent', consentName(charge.mandate !== undefined), consentName(seen.isBounded ?? charge.mandate !== undefined)],
  ]).map(inLedger);
}

function inLedger({ name, one, other }: ReturnType<typeof differing>[number]): string {
  return `its ${name} is ${one} in the ledger, ${other} on the chain`;
}

function consentName(isBounded: boolean): string {
  return isBounded ? 'a mandate' : 'an open allowance';
}

/** The differences between a settled refund and the chain, one clause each. `token`: the playing one of its payment. */
function refundProblems(refund: RefundState, seen: OnChainRefund, token: string): string[] {
  return differing([
    ['token', token, seen.token],
    ['amount', refund.due, String(seen.amount)],
    ['receiver', refund.receiver, seen.receiver],
    ['block', String(refund.transfer?.block.number ?? 'none'), String(seen.block.number)],
  ]).map(inLedger);
}

/**
 * The differences between a settled payment and its charge, one clause each. `mandate`: the one that the charge names;
 * undefined: it names none.
 */
export function paymentProblems(
  payment: ActorDoc,
  charge: ChargeDoc,
  catalog: Catalog,
  mandate: MandateDoc | undefined,
): string[] {
  const attributes = paymentAttributes.parse(payment.attributes);
  const { amount, attempt, consent, hashes, fromWallet, toWallet } = paymentContextOf(payment);
  const played = catalog.play(attributes.tokenKey, payment.mode);
  if (!played.ok) return [`its token ${attributes.tokenKey} is played on no chain`];
  const requested = divide(BigInt(amount), attributes.feeBps, attributes.splits);
  const parts = divide(played.play.rescale(BigInt(amount)), feeUnder(mandate, attributes.feeBps), attributes.splits);
  const splits = parts.splits.reduce((sum, each) => sum + each.amount, 0n);
  const used = charge.mandate?.id ?? 'none';
  const forwarded = charge.shares.find(({ role }) => role === 'forward')?.to ?? null;
  return differing([
    ['status', payment.status, 'settled'],
    ['key', chargeKeyOf(payment, mandate), charge.key],
    // An earlier attempt may have been made before the payer signed.
    ['mandate', attempt === charge.attempt ? (consent?.mandateId ?? 'none') : used, used],
    ['chain', String(played.play.chainId), String(charge.chainId)],
    ['token', played.play.token, charge.token],
    ['amount', String(parts.gross), charge.gross],
    ['fee', String(parts.platformAmount), String(sumOf(charge, 'platform'))],
    ['splits', String(splits), String(sumOf(charge, 'split'))],
    ['shown fee', attributes.platformAmount, String(requested.platformAmount)],
    ["merchant's part", attributes.merchantAmount, String(requested.merchantAmount)],
    // A payment by deposit shows the deposit's sender as its payer.
    ['payer', charge.deposit ? charge.from : (fromWallet ?? charge.from), charge.from],
    ['recipient', forwarded === null ? 'none' : (toWallet ?? 'none'), forwarded ?? 'none'],
    ['transaction', hashes.pullTxHash ?? 'none', charge.txHash ?? 'none'],
  ]).map(({ name, one, other }) => `its ${name} is ${one}, expected ${other} as charged`);
}

function sumOf({ shares }: ChargeDoc, wanted: ShareRole): bigint {
  return shares.reduce((sum, { role, amount }) => (role === wanted ? sum + BigInt(amount) : sum), 0n);
}

type Pair = readonly [name: string, one: string, other: string];

/** Hex addresses and hashes are equal in either case; base58 is case-sensitive. */
function differing(pairs: readonly Pair[]): { readonly name: string; readonly one: string; readonly other: string }[] {
  return pairs.flatMap(([name, one, other]) => (comparable(one) === comparable(other) ? [] : [{ name, one, other }]));
}

function comparable(text: string): string {
  return text.replaceAll(/0x[0-9a-fA-F]+/g, (hex) => hex.toLowerCase());
}
