/** The EIP-712 fields of a permit (EIP-2612), which a wallet signs instead of an approve. */
export const PERMIT_FIELDS: readonly { readonly name: string; readonly type: string }[] = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
];
