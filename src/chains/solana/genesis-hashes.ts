/** The genesis hashes of the public Solana chains, by chain id. A node of another chain answers another one. */
const GENESIS_HASHES: ReadonlyMap<number, string> = new Map([
  [101, '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
  [103, 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkrZBG'],
]);

/** Throws for a chain that is not public. */
export function genesisHashOf(chainId: number): string {
  const hash = GENESIS_HASHES.get(chainId);
  if (hash === undefined) throw new Error(`Chain ${chainId} is no public Solana chain`);
  return hash;
}
