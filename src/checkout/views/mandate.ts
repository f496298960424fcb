import { type MandateDraft, typedDataOf } from '../../chains/mandates.ts';
import { formatAmount } from '../../model/amounts.ts';
import type * as wire from '../wire.ts';

/** The limits of a mandate for people. `decimals`: of the playing token. */
export function mandateView(mandate: MandateDraft, decimals: number): wire.Mandate {
  const { payer, perCharge, charges, interval, months, start, end, issuedAt, payees, platform, feeBps } = mandate;
  const typed = mandate.revokedAt ? null : typedDataOf(mandate);
  return {
    payer,
    perCharge: formatAmount(BigInt(perCharge), decimals),
    perChargeBaseUnits: perCharge,
    charges: charges === 0 ? null : charges,
    intervalSeconds: interval === 0 ? null : interval,
    intervalMonths: months === 0 ? null : months,
    startsAt: start <= issuedAt ? null : momentOf(start),
    endsAt: momentOf(end),
    payees: [...payees],
    platform: feeBps === 0 ? null : { wallet: platform, feeBps },
    contract: typed && {
      router: typed.domain.verifyingContract,
      merchant: typed.message.merchant,
      agreement: typed.message.agreement,
    },
  };
}

function momentOf(unixSeconds: number): string | null {
  return unixSeconds === 0 ? null : new Date(unixSeconds * 1_000).toISOString();
}
