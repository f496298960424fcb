import type { Chain } from '../merchant-api.ts';

export interface TokenChoice {
  readonly key: string;
  readonly text: string;
  readonly family: Chain['family'];
  readonly decimals: number;
}

/** The tokens of chains on which charges are possible; of all chains if there is none yet. */
export function tokenChoices(chains: readonly Chain[]): TokenChoice[] {
  const enabled = chains.filter((chain) => chain.enabled);
  return (enabled.length > 0 ? enabled : chains).flatMap(({ tokens, label, family }) =>
    tokens.map(({ key, ticker, decimals }) => ({ key, text: `${ticker} on ${label}`, family, decimals })),
  );
}

/** USDC on Base, which is cheap and known; else another USDC. */
export function usualToken(choices: readonly TokenChoice[]): TokenChoice | null {
  const usdc = choices.filter(({ text }) => text.startsWith('USDC '));
  return choices.find(({ key }) => key === 'usdc-base') ?? usdc[0] ?? choices[0] ?? null;
}

/** Base units as a decimal string in token units: 9900000 with 6 decimals is "9.900000". */
export function tokenUnits(baseUnits: string, decimals: number): string {
  if (decimals === 0) return baseUnits;
  const digits = baseUnits.padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
