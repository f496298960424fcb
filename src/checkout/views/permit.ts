import { z } from 'zod';
import type { PermitToSign } from '../../billing/checkout/permits.ts';
import { PERMIT_FIELDS } from '../../chains/permit-fields.ts';
import type { PermitDoc } from '../../store/collections.ts';

const field = z.strictObject({ name: z.string(), type: z.string() });

/** EIP-712 typed data for `eth_signTypedData_v4`. The signer may change `value` and `deadline`. */
export const permitToSignSchema = z.strictObject({
  types: z.strictObject({ EIP712Domain: z.array(field), Permit: z.array(field) }),
  primaryType: z.literal('Permit'),
  domain: z.strictObject({
    name: z.string().optional(),
    version: z.string().optional(),
    chainId: z.int().optional(),
    verifyingContract: z.string().optional(),
    salt: z.string().optional(),
  }),
  message: z.strictObject({
    owner: z.string(),
    spender: z.string(),
    value: z.string(),
    nonce: z.string(),
    deadline: z.string(),
  }),
});

/** The members of a domain, in the order of EIP-712. */
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
] as const;

export function permitToSignView(permit: PermitToSign | null): z.output<typeof permitToSignSchema> | null {
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

/** The progress of a permit that was handed in. */
export const permitSchema = z.strictObject({
  /**
   * `sent`: a transaction of the service contains it. `taken`: the token has accepted it, from the service or from anybody.
   * `failed`: the token never will.
   */
  status: z.enum(['waiting', 'sent', 'taken', 'failed']),
  failureReason: z.enum(['expired', 'nonce_used', 'not_taken']).nullable(),
  /** null: no block contains a transaction of the service with it. */
  txHash: z.string().nullable(),
  valueBaseUnits: z.string(),
  deadline: z.string(),
});

export function permitView({ state, reason, txHash, value, deadline }: PermitDoc): z.output<typeof permitSchema> {
  const status = state === 'started' ? 'waiting' : state;
  return { status, failureReason: reason, txHash, valueBaseUnits: value, deadline };
}
