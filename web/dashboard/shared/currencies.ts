import { tokenName } from '../../../machines/rules/token-name.ts';
import { money } from '../../ui/decimal.ts';
import type { Chain } from '../merchant-api.ts';

/** "USDC on Base"; for a token that is not in the catalog its key. */
export function tokenText(chains: readonly Chain[], tokenKey: string): string {
  const all = chains.flatMap(({ label, tokens }) => tokens.map((token) => ({ token, tokens, label })));
  const found = all.find(({ token }) => token.key === tokenKey);
  return found === undefined ? tokenKey : `${tokenName(found.tokens, found.token)} on ${found.label}`;
}

/** An amount in token units: "9.90 USDC". */
export function amountText(chains: readonly Chain[], amount: string, tokenKey: string): string {
  return money(amount, tickerOf(chains, tokenKey));
}

/** What the amounts of a token are added up in: the currency that it counts as, else its ticker. */
export function currencyOf(chains: readonly Chain[], tokenKey: string): string {
  return tokenIn(chains, tokenKey)?.currency ?? tickerOf(chains, tokenKey);
}

export function tickerOf(chains: readonly Chain[], tokenKey: string): string {
  return tokenIn(chains, tokenKey)?.ticker ?? tokenKey;
}

function tokenIn(chains: readonly Chain[], tokenKey: string) {
  return chains.flatMap(({ tokens }) => tokens).find(({ key }) => key === tokenKey);
}

export interface TokenChoice {
  readonly key: string;
  readonly text: string;
  readonly family: Chain['family'];
  readonly decimals: number;
}

/** The tokens of chains on which charges are possible; of all chains if there is none yet. */
export function tokenChoices(chains: readonly Chain[]): TokenChoice[] {
  const enabled = chains.filter((chain) => chain.enabled);
  return (enabled.length > 0 ? enabled : chains).flatMap(({ tokens, family }) =>
    tokens.map(({ key, decimals }) => ({ key, text: tokenText(chains, key), family, decimals })),
  );
}

/** USDC on Base, which is cheap and known; else another USDC. */
export function usualToken(choices: readonly TokenChoice[]): TokenChoice | null {
  const usdc = choices.filter(({ text }) => text.startsWith('USDC '));
  return choices.find(({ key }) => key === 'usdc-base') ?? usdc[0] ?? choices[0] ?? null;
}
