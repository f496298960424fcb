import { z } from 'zod';
import { endUnwanted, type RouterOf, type RouterUseDeps, usesOf } from '../billing/routers/router-use.ts';
import { type ChainConfig, ConfigError } from '../config/config.ts';
import type { LedgerStore, RecordStore } from '../store/port.ts';

const shape = z.object({
  /** The routers of the last start, the newest first. */
  routers: z.array(z.string()),
  /** Routers of earlier starts. Nothing needs them, but proofs and the audit still read what they did. */
  former: z.array(z.string()),
  /** Since when the newest one is the newest; absent: since the first start. */
  newestSince: z.string().exactOptional(),
});

/** `isServing`: this process only serves requests, and leaves the writes to workers. */
type SettleDeps = RouterUseDeps & { readonly store: LedgerStore; readonly isServing?: boolean };

/** By chain, the routers of earlier starts that its list has dropped. */
export type FormerRouters = ReadonlyMap<number, readonly string[]>;

/** The former routers of these chains. Changes nothing. */
export async function formerRouters(records: RecordStore, chains: readonly ChainConfig[]): Promise<FormerRouters> {
  const stored = await Promise.all(chains.map(({ chainId }) => readStored(records, chainId)));
  return new Map(chains.map(({ chainId }, index) => [chainId, stored[index]?.known.former ?? []]));
}

/**
 * Stores the routers of each chain, and returns the former ones. Chains without a router are left as they are: their
 * charges wait.
 *
 * @throws ConfigError when a list drops a router that is still in use; it names the open work there
 */
export async function settleRouters(deps: SettleDeps, chains: readonly ChainConfig[]): Promise<FormerRouters> {
  const problems = (await Promise.all(chains.map((chain) => settle(deps, chain)))).flat();
  if (problems.length > 0) throw new ConfigError(problems);
  return formerRouters(deps.store.records, chains);
}

async function settle(deps: SettleDeps, { chainId, routers }: ChainConfig): Promise<string[]> {
  const { records } = deps.store;
  if (routers.length === 0) return [];
  const value = textOf({ routers: [...routers], former: [] });
  const [verdict] = await records.insert('settings', [{ _id: idOf(chainId), value }]);
  const stored = verdict?.inserted ? null : await readStored(records, chainId);
  if (stored === null) return [];
  const { known, text } = stored;
  const dropped = known.routers.filter((router) => !routers.includes(router));
  const unwanted = dropped.map((router) => ({ chainId, router }));
  const uses = await Promise.all(
    unwanted.map(async (of) => ({ of, open: await usesOf(deps, of, await replacedAt(records, of)) })),
  );
  const problems = uses.flatMap(({ of, open }) => (open.length === 0 ? [] : [refusal(of, open)]));
  if (problems.length > 0 || deps.isServing) return problems;
  for (const of of unwanted) await endUnwanted(deps, of);
  const former = [...new Set([...known.former, ...dropped])].filter((router) => !routers.includes(router));
  const { newestSince } = routers[0] === known.routers[0] ? known : { newestSince: deps.clock().toISOString() };
  const next = textOf({ routers: [...routers], former, ...(newestSince === undefined ? {} : { newestSince }) });
  // If another process was quicker, it has the same configuration, or the next start sees the difference.
  if (next !== text) await records.change('settings', idOf(chainId), { value: text }, { set: { value: next } });
  return [];
}

function refusal({ chainId, router }: RouterOf, open: readonly string[]): string {
  return `ROUTER_${chainId} drops ${router}, which is still in use: ${open.join(', ')}; expected it after the newer ones until they are over`;
}

/** Since when a newer router is the newest of the chain; null: unknown, or not so far. */
export async function replacedAt(records: RecordStore, { chainId, router }: RouterOf): Promise<string | null> {
  const { routers: [newest] = [], newestSince = null } = (await readStored(records, chainId))?.known ?? {};
  return newest === router ? null : newestSince;
}

async function readStored(records: RecordStore, chainId: number) {
  const [stored] = await records.get('settings', [idOf(chainId)]);
  return stored === undefined ? null : { known: shape.parse(JSON.parse(stored.value)), text: stored.value };
}

function textOf(known: z.infer<typeof shape>): string {
  return JSON.stringify(known);
}

function idOf(chainId: number): string {
  return `routers:${chainId}`;
}
