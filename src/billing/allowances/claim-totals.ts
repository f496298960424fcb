import { LIVE_STATUSES } from '../../model/subscription.ts';
import type { Tenant } from '../../store/documents.ts';
import type { Tally } from '../../store/port.ts';
import { tallyActorsOfAll } from '../../store/tenant.ts';
import type { BillingDeps } from '../deps.ts';

/** If there are as many groups, some may be missing. */
const GROUPS_MAX = 10_000;

const GROUPED_BY = [
  'merchantId',
  'context.terms.tokenKey',
  'status',
  'context.allowanceConfirmed',
  'context.risk.short',
  'context.migration.expiresAt',
];

/** The payer's wallet, and the merchant and the token of the chain in which it is charged. */
interface Charged {
  readonly wallet: string;
  readonly merchantId: string;
  readonly chainId: number;
  readonly token: string;
}

/** The present charges of live subscriptions of one wallet and merchant in one token. */
interface ClaimTotal {
  /** Their sum at most, in base units of the token. */
  readonly amount: bigint;
  /** All are active, confirmed, not short and without a migration: an allowance that covers all changes nothing. */
  readonly isCovered: boolean;
}

const NO_CLAIM: ClaimTotal = { amount: 0n, isCovered: true };

/**
 * What live subscriptions of these tenants, all of one mode, claim of these wallets. The database adds it up from an
 * index, without reading a subscription. The answer is null for a wallet to which a subscription is going to move.
 */
export async function claimTotals(
  { store, catalog }: Pick<BillingDeps, 'store' | 'catalog'>,
  tenants: readonly Tenant[],
  wallets: readonly string[],
): Promise<(of: Charged) => ClaimTotal | null> {
  const tally = (path: string, others: readonly string[], sum: string | null): Promise<Tally[]> => {
    const where = { [path]: { in: wallets }, status: { in: LIVE_STATUSES } };
    const query = { where, by: [path, ...others], period: null, sum, limit: GROUPS_MAX };
    return tallyActorsOfAll(store, tenants, 'subscription', query);
  };
  // In this order, a migration that is completed in between is in one of them.
  const moving = await tally('context.migration.wallet', [], null);
  const claimed = await tally('context.payerWallet', GROUPED_BY, 'context.terms.amount');
  if (Math.max(claimed.length, moving.length) === GROUPS_MAX) return () => null;
  const movesTo = new Set(moving.map(({ by: [wallet] }) => wallet));
  const totals = new Map<string, ClaimTotal>();
  for (const { by, count, sum } of claimed) {
    const [wallet, merchantId, tokenKey, status, isConfirmed, short, migratesUntil] = by;
    const answer = catalog.play(String(tokenKey), tenants[0]?.mode ?? 'live');
    if (!answer.ok) continue;
    const { chainId, token, rescale } = answer.play;
    const key = keyOf({ wallet: String(wallet), merchantId: String(merchantId), chainId, token });
    const known = totals.get(key) ?? NO_CLAIM;
    // The database rounds sums of more than 34 digits, and each amount is rounded up when it is rescaled.
    const amount = known.amount + rescale(sum + sum / 10n ** 30n) + BigInt(count);
    const isCovered = status === 'active' && isConfirmed === true && short === null && migratesUntil === null;
    totals.set(key, { amount, isCovered: known.isCovered && isCovered });
  }
  return (of) => (movesTo.has(of.wallet) ? null : (totals.get(keyOf(of)) ?? NO_CLAIM));
}

function keyOf({ wallet, merchantId, chainId, token }: Charged): string {
  return [wallet, merchantId, chainId, token].join('/');
}
