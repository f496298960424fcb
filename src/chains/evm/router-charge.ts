import type { ChargeDoc } from '../../store/collections.ts';
import { merchantSalt, type RouterCharge } from './contracts/router.ts';

/** A charge as the router takes it; its shares in the order of the document. */
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
