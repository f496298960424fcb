/**
 * What it costs at most to send something back, in cents: a transfer with the making of the forwarder (some 150,000
 * gas) on a dear day; on Solana with the making of the receiver's account. A fixed figure for each chain, so that the same
 * arrival has the same fate whenever it is checked, and no rate of a native coin is needed. Every token of the catalog is
 * worth a dollar.
 */
const CENTS: ReadonlyMap<number, bigint> = new Map([
  [1, 5_00n],
  [10, 5n],
  [56, 20n],
  [137, 5n],
  [8453, 5n],
  [42161, 5n],
  [101, 50n],
]);

/** On sandbox chains, where nothing costs anything: less than a cent is not worth checking. */
const SANDBOX_CENTS = 1n;

/** The least amount that is sent back by itself on a chain, base units of a token with so many decimals. */
export function returnCost(chainId: number, decimals: number): bigint {
  const cents = CENTS.get(chainId) ?? SANDBOX_CENTS;
  return decimals >= 2 ? cents * 10n ** BigInt(decimals - 2) : 1n;
}
