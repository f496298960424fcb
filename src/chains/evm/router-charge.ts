import type { ChargeDoc, MandateDoc } from '../../store/collections.ts';
import { assetOf, isRefund } from '../charges.ts';
import { type MandatesById, mandateOf } from '../mandate-reader.ts';
import type { RpcCall } from '../rpc.ts';
import type { Mandate, MandateCharge } from './contracts/mandates.ts';
import {
  encodeChargeMany,
  encodeCycleSeen,
  encodeRefundDeposit,
  encodeSeen,
  merchantSalt,
  type RouterCharge,
} from './contracts/router.ts';

/** The charges in the order of the router's answers: it makes open charges first, and then those under mandates. */
export function inRouterOrder(charges: readonly ChargeDoc[]): readonly ChargeDoc[] {
  return [...charges.filter(({ mandate }) => !mandate), ...charges.filter(({ mandate }) => mandate)];
}

/**
 * The router's call data for these charges. The refund of a deposit needs its own call.
 * @throws Error for a refund among other charges, and for a charge whose mandate is missing
 */
export function routerCall(charges: readonly ChargeDoc[], mandates: MandatesById): string {
  const [first] = charges;
  if (first?.deposit === undefined || !charges.some(isRefund)) return chargeCall(charges, mandates);
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

function chargeCall(charges: readonly ChargeDoc[], mandates: MandatesById): string {
  const open: RouterCharge[] = [];
  const bounded: MandateCharge[] = [];
  for (const charge of charges) {
    if (charge.mandate === undefined) open.push(toRouterCharge(charge));
    else bounded.push(toMandateCharge(charge, charge.mandate.cycle, mandateOf(charge, mandates)));
  }
  return encodeChargeMany(open, bounded);
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

function toMandateCharge({ _id, shares }: ChargeDoc, cycle: number, mandate: MandateDoc | null): MandateCharge {
  if (mandate === null) throw new Error(`the mandate of charge ${_id} is missing`);
  return {
    mandate: contractMandate(mandate),
    signature: mandate.signature,
    cycle,
    to: shares.map((share) => share.to),
    amounts: shares.map((share) => BigInt(share.amount)),
  };
}

/** A mandate in the form of the router. */
export function contractMandate(mandate: Omit<MandateDoc, '_id' | 'signature' | 'message' | 'createdAt'>): Mandate {
  const { payer, token, charges, interval, months, start, end, issuedAt, platform, feeBps, payees, agreement, terms } =
    mandate;
  return {
    payer,
    merchant: merchantSalt(mandate.merchantId, mandate.mode),
    token,
    perCharge: BigInt(mandate.perCharge),
    charges,
    interval,
    months,
    start,
    end,
    issuedAt,
    platform,
    feeBps,
    payees,
    agreement,
    terms,
    ...(mandate.per30Days === undefined ? {} : { per30Days: BigInt(mandate.per30Days) }),
  };
}

/**
 * The call that asks the router whether a charge was made; `decodeSeen` reads the answer. For a charge under a mandate,
 * the payer's agreement decides: any sender can mark any key as seen with an open charge.
 * @throws Error if the charge's mandate is missing
 */
export function fenceCall(router: string, charge: ChargeDoc, mandates: MandatesById, block = 'latest'): RpcCall {
  return { method: 'eth_call', params: [{ to: router, data: fenceData(charge, mandates) }, block] };
}

function fenceData(charge: ChargeDoc, mandates: MandatesById): string {
  if (charge.mandate === undefined) return encodeSeen(charge.key);
  const mandate = mandateOf(charge, mandates);
  if (mandate === null) throw new Error(`the mandate of charge ${charge._id} is missing`);
  const merchant = merchantSalt(charge.merchantId, charge.mode);
  return encodeCycleSeen(charge.from, merchant, mandate.agreement, charge.mandate.cycle);
}
