/** What a wallet signs in place of an approve (EIP-2612), as EIP-712 has it. */
export const PERMIT_FIELDS: readonly { readonly name: string; readonly type: string }[] = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
];
