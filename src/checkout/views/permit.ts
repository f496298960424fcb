import type { PermitToSign } from '../../billing/checkout/permits.ts';
import { PERMIT_FIELDS } from '../../chains/port.ts';
import type { PermitDoc } from '../../store/collections.ts';
import type * as wire from '../wire.ts';

/** The members of a domain, in the order of EIP-712. */
export const DOMAIN_FIELDS = [
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
