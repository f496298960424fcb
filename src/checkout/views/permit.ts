import type { PermitToSign } from '../../billing/checkout/permits.ts';
import { type MandateDraft, typedDataOf } from '../../chains/mandates.ts';
import { PERMIT_FIELDS } from '../../chains/port.ts';
import { formatAmount } from '../../model/amounts.ts';
import type { PermitDoc } from '../../store/collections.ts';
import type * as wire from '../wire.ts';

/** The members of a domain, in the order of EIP-712. */
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
] as const;

export function permitToSignView(permit: PermitToSign | null): wire.PermitToSign | null {
  if (permit === null) return null;
  const { domain, owner, spender, value, nonce, deadline } = permit;
  return {
    types: {
      EIP712Domain: DOMAIN_FIELDS.filter(({ name }) => domain[name] !== undefined),
      Permit: PERMIT_FIELDS.map((each) => ({ ...each })),
    },
    primaryType: 'Permit',
    domain: { ...domain },
    message: { owner, spender, value: value.toString(), nonce: nonce.toString(), deadline: deadline.toString() },
  };
}

export function permitView({ state, reason, txHash, value, deadline }: PermitDoc): wire.Permit {
  const status = state === 'started' ? 'waiting' : state;
  return { status, failureReason: reason, txHash, valueBaseUnits: value, deadline };
}

/** The typed data of a mandate in JSON: amounts are decimal digits. */
export function typedDataView(data: ReturnType<typeof typedDataOf>): wire.TypedData | null {
  if (data === null) return null;
  const { domain, types, primaryType, message } = data;
  const { perCharge, per30Days, payees, ...others } = message;
  return {
    types: {
      EIP712Domain: DOMAIN_FIELDS.filter(({ name }) => name in domain),
      Mandate: types.Mandate,
    },
    primaryType,
    domain,
    message: {
      ...others,
      perCharge: perCharge.toString(),
      payees: [...payees],
      ...(per30Days === undefined ? {} : { per30Days: per30Days.toString() }),
    },
  };
}

/** The limits of a mandate for people. `decimals`: of the playing token. */
export function mandateView(mandate: MandateDraft, decimals: number): wire.Mandate {
  const { payer, perCharge, charges, interval, months, start, end, issuedAt, payees, platform, feeBps } = mandate;
  const typed = mandate.revokedAt ? null : typedDataOf(mandate);
  return {
    payer,
    perCharge: formatAmount(BigInt(perCharge), decimals),
    perChargeBaseUnits: perCharge,
    per30Days: mandate.per30Days === undefined ? null : formatAmount(BigInt(mandate.per30Days), decimals),
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
