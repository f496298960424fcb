/**
 * How a local chain says whose it is: the genesis block holds, at this address, code that ends with the id of the data
 * folder. It is part of the chain's state, so it goes wherever the chain's state goes, and no transaction can change it.
 */
export const EVM_MARKER_ADDRESS = '0x000000000000000000000000000000007464656c';

/** The code at the marker's address on the chain of this folder. Its first byte makes any call of it fail. */
export function evmMarkerCode(folderId: string): string {
  return `0xfe${folderId}`;
}
