import type { Chain } from '../../../chains/port.ts';
import type { ChargeDoc } from '../../../store/collections.ts';
import type { BillingDeps } from '../../deps.ts';

/** A chain does not say which routers may take the amount. */
type Unknown = 'unknown';

/**
 * True for a payment that its payer's allowance alone permits, and that no router is named for: the charge goes to the
 * router that the payer has approved.
 */
export function needsRouter({ isCycle, deposit, mandate, router }: ChargeDoc): boolean {
  return !isCycle && deposit === undefined && mandate === undefined && router === undefined;
}

/**
 * The router for each of these charges, by id: the newest one whose open operator may take the amount; the newest of
 * all if none may (docs/rules.md, "Routers"). Missing: its chain has no routers.
 */
export async function openRouters(
  { chains, log }: Pick<BillingDeps, 'chains' | 'log'>,
  charges: readonly ChargeDoc[],
): Promise<ReadonlyMap<string, string | Unknown>> {
  const chainIds = [...new Set(charges.map(({ chainId }) => chainId))];
  const found = await Promise.all(
    chainIds.map(async (chainId): Promise<(readonly [string, string | Unknown])[]> => {
      const chain = chains.get(chainId);
      const mine = charges.filter((charge) => charge.chainId === chainId);
      if (!chain || chain.router === null) return [];
      const newest = chain.router;
      if (chain.routers.length === 1) return mine.map(({ _id }) => [_id, newest]);
      try {
        return await approved(chain, newest, mine);
      } catch (error) {
        log.warn({ chainId, err: error }, 'cannot read which router the payers have approved; their payments wait');
        return mine.map(({ _id }) => [_id, 'unknown']);
      }
    }),
  );
  return new Map(found.flat());
}

async function approved(chain: Chain, newest: string, charges: readonly ChargeDoc[]): Promise<[string, string][]> {
  const reads = charges.flatMap(({ merchantId, mode, token, from: wallet }) =>
    chain.routers.map((router) => {
      return { token, wallet, operator: chain.operatorFor(merchantId, mode, { isBounded: false, router }) };
    }),
  );
  const states = await chain.readAllowances(reads);
  const count = chain.routers.length;
  return charges.map(({ _id, gross }, index) => {
    const mine = states.slice(index * count, (index + 1) * count);
    const at = mine.findIndex((state) => state !== null && state.allowance >= BigInt(gross));
    return [_id, chain.routers[at] ?? newest];
  });
}
