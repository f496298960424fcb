import type { RefundState } from '../../../machines/refund/context.ts';
import { divide } from '../../../machines/rules/money.ts';
import type { Catalog } from '../../chains/catalog.ts';
import type { OnChainCharge, OnChainRefund } from '../../chains/chain-reader.ts';
import { assetOf } from '../../chains/charges.ts';
import { chargeKeyOf } from '../../model/charge-key.ts';
import { feeUnder } from '../../model/consent.ts';
import { paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import type { ChargeDoc, MandateDoc, ShareRole } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';

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
export function refundProblems(refund: RefundState, seen: OnChainRefund, token: string): string[] {
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
