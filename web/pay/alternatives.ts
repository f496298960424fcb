import type { AcceptedToken, ChainFamily, PayerState } from '../../src/checkout/wire.ts';

/** A token of the same price in which the connected wallet holds enough for the first charge. */
export interface Alternative {
  readonly tokenKey: string;
  readonly ticker: string;
  /** The network on which it is. */
  readonly network: string;
  /** Units of the token. */
  readonly balance: string;
}

/** Finds them for a wallet, and chooses one. */
export interface Alternatives {
  find(address: string): Promise<readonly Alternative[]>;
  choose(tokenKey: string): void;
}

/** The other tokens that the wallet could pay with, in the order of the offer. */
export function othersOf(
  tokens: readonly AcceptedToken[],
  { tokenKey: chosen, family }: { readonly tokenKey: string; readonly family: ChainFamily },
): AcceptedToken[] {
  return tokens.filter(
    ({ tokenKey, chainFamily, enabled }) => enabled && chainFamily === family && tokenKey !== chosen,
  );
}

/** null: the wallet holds too little of it, or nobody knows. */
export function alternativeOf(
  { tokenKey, ticker, playing, amountBaseUnits }: AcceptedToken,
  chain: PayerState | null,
): Alternative | null {
  if (chain === null || playing === null || amountBaseUnits === null) return null;
  // A subscription to this price that exists already may have another amount, which the missing one is of.
  const isEnough =
    BigInt(chain.missingNowBaseUnits) === 0n && BigInt(chain.balanceBaseUnits) >= BigInt(amountBaseUnits);
  return isEnough ? { tokenKey, ticker, network: playing.label, balance: chain.balance } : null;
}
