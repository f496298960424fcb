/**
 * The address of the code that identifies a local chain: the genesis block has code there that ends with the id of the
 * data folder. The code is part of the chain's state, so it moves with the state, and no transaction can change it.
 */
export const EVM_MARKER_ADDRESS = '0x000000000000000000000000000000007464656c';

/** The code at the marker's address on the chain of this folder. Its first byte makes any call of it fail. */
export function evmMarkerCode(folderId: string): string {
  return `0xfe${folderId}`;
}
