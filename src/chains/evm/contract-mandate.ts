import type { MandateDoc } from '../../store/collections.ts';
import type { Mandate } from './contracts/mandates.ts';
import { merchantSalt } from './contracts/router.ts';

/** A mandate in the form of the router. */
export function contractMandate(mandate: Omit<MandateDoc, '_id' | 'signature' | 'message' | 'createdAt'>): Mandate {
  const { payer, token, charges, interval, start, end, issuedAt, platform, feeBps, payees, agreement, terms } = mandate;
  return {
    payer,
    merchant: merchantSalt(mandate.merchantId, mandate.mode),
    token,
    perCharge: BigInt(mandate.perCharge),
    charges,
    interval,
    start,
    end,
    issuedAt,
    platform,
    feeBps,
    payees,
    agreement,
    terms,
  };
}
