import type { ChargeDoc } from '../../store/collections.ts';
import { assetOf, isRefund } from '../charges.ts';
import { encodeChargeMany, encodeRefundDeposit, merchantSalt, type RouterCharge } from './contracts/router.ts';

/**
 * The router's call data for these charges. The refund of a deposit needs its own call.
 * @throws Error for a refund among other charges
 */
export function routerCall(charges: readonly ChargeDoc[]): string {
  const [first] = charges;
  if (first?.deposit === undefined || !charges.some(isRefund)) return encodeChargeMany(charges.map(toRouterCharge));
  if (charges.length > 1) throw new Error('a refund needs its own transaction');
  const { key: refund, gross, shares, deposit } = first;
  return encodeRefundDeposit({
    key: deposit.account,
    refund,
    token: assetOf(first),
    to: shares[0]?.to ?? '',
    amount: BigInt(gross),
  });
}

/** A charge in the router's form; its shares in the order of the document. */
export function toRouterCharge(charge: ChargeDoc): RouterCharge {
  return {
    key: charge.key,
    merchant: merchantSalt(charge.merchantId, charge.mode),
    token: charge.token,
    from: charge.from,
    gross: BigInt(charge.gross),
    to: charge.shares.map((share) => share.to),
    amounts: charge.shares.map((share) => BigInt(share.amount)),
  };
}
