interface Token {
  readonly key: string;
  readonly ticker: string;
  readonly decimals: number;
}

/** "USDC"; of another token of its chain with the same ticker, which only local chains have, "USDC (18 decimals)". */
export function tokenName(tokens: readonly Token[], { key, ticker, decimals }: Token): string {
  const isFirst = tokens.find((token) => token.ticker === ticker)?.key === key;
  return isFirst ? ticker : `${ticker} (${decimals} decimals)`;
}
