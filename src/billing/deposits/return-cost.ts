/**
 * The highest cost of a refund, in cents: a transfer and the deployment of the forwarder (some 150,000 gas) at high gas
 * prices; on Solana the transfer and the receiver's account. It is fixed per chain, so that a deposit has the same fate at
 * every check and no rate of a native coin is needed. Every token of the catalog is worth a dollar.
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

/** For sandbox chains, which cost nothing: less than a cent is not refunded. */
const SANDBOX_CENTS = 1n;

/** The least amount that is refunded automatically on a chain, in base units of a token with these decimals. */
export function returnCost(chainId: number, decimals: number): bigint {
  const cents = CENTS.get(chainId) ?? SANDBOX_CENTS;
  return decimals >= 2 ? cents * 10n ** BigInt(decimals - 2) : 1n;
}
