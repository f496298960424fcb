import { divide } from '../../../machines/rules/money.ts';
import type { Catalog } from '../../chains/catalog.ts';
import type { OnChainCharge } from '../../chains/chain-reader.ts';
import { assetOf } from '../../chains/charges.ts';
import { cycleChargeKey, paymentChargeKey } from '../../chains/evm/contracts/router.ts';
import type { ChargeDoc, ShareRole } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { paymentAttributes } from '../payments/attributes.ts';
import { contextOf } from '../payments/record.ts';

/** The key of a payment's charge, from its ids alone. */
export function chargeKeyOf(payment: ActorDoc): string {
  const { cycleOf } = contextOf(payment);
  return cycleOf === null ? paymentChargeKey(payment._id) : cycleChargeKey(cycleOf.subscriptionId, cycleOf.cycle);
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
  ]).map(({ name, one, other }) => `its ${name} is ${one} in the ledger, ${other} on the chain`);
}

/** The differences between a settled payment and its charge, one clause each. */
export function paymentProblems(payment: ActorDoc, charge: ChargeDoc, catalog: Catalog): string[] {
  const attributes = paymentAttributes.parse(payment.attributes);
  const { amount, hashes, fromWallet, toWallet } = contextOf(payment);
  const played = catalog.play(attributes.tokenKey, payment.mode);
  if (!played.ok) return [`its token ${attributes.tokenKey} is played on no chain`];
  const asked = divide(BigInt(amount), attributes.feeBps, attributes.splits);
  const parts = divide(played.play.rescale(BigInt(amount)), attributes.feeBps, attributes.splits);
  const splits = parts.splits.reduce((sum, each) => sum + each.amount, 0n);
  const forwarded = charge.shares.find(({ role }) => role === 'forward')?.to ?? null;
  return differing([
    ['status', payment.status, 'settled'],
    ['key', chargeKeyOf(payment), charge.key],
    ['chain', String(played.play.chainId), String(charge.chainId)],
    ['token', played.play.token, charge.token],
    ['amount', String(parts.gross), charge.gross],
    ['fee', String(parts.platformAmount), String(sumOf(charge, 'platform'))],
    ['splits', String(splits), String(sumOf(charge, 'split'))],
    ['shown fee', attributes.platformAmount, String(asked.platformAmount)],
    ["merchant's part", attributes.merchantAmount, String(asked.merchantAmount)],
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
