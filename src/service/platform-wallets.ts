import { setTimeout as delay } from 'node:timers/promises';
import type { Chains } from '../chains/port.ts';
import { ConfigError } from '../config/config.ts';
import type { DestinationWallets } from '../store/collections.ts';

/** A slower node does not delay the start. */
const ANSWER_MS = 3_000;

/**
 * Throws a ConfigError for a configured platform wallet that is not a wallet according to its chain, because every fee
 * would be lost there. A chain that does not answer in 3 s refuses nothing.
 */
export async function requirePayablePlatformWallets(chains: Chains, wallets: DestinationWallets): Promise<void> {
  const found = await Promise.all(
    chains.all().map(async (chain) => {
      const wallet = wallets[chain.family];
      if (wallet === null) return [];
      const asked = chain.whyUnsuitable(wallet, 'payee').catch(() => null);
      const why = await Promise.race([asked, delay(ANSWER_MS, null, { ref: false })]);
      return why === null ? [] : [`PLATFORM_WALLET_${chain.family.toUpperCase()} must not be ${why}`];
    }),
  );
  const problems = [...new Set(found.flat())];
  if (problems.length > 0) throw new ConfigError(problems);
}
