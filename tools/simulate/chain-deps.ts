import { unknownCase } from '../../machines/unknown-case.ts';
import { NodeUnreachable, type RpcAnswer, type RpcCall, type RpcTransport, resultOf } from '../../src/chains/rpc.ts';
import { newId } from '../../src/store/ids.ts';
import { storeLeases, Workers } from '../../src/store/workers.ts';
import type { Answer } from './evm/transport.ts';
import type { Process } from './simulated-chain.ts';

/** The length of a chain's leases, and the intervals at which its loops check for orphaned work. Milliseconds. */
const LEASE_MS = 5_000;
export const TIMING = { queueIdleMs: 2_000, reconcileIdleMs: 2_500, logsMs: 1_500, leaseMs: LEASE_MS } as const;

/** A small number, so that runs have more than one batch. */
export const CHARGES_AT_ONCE = 3;

/** The nodes of one chain: their names, their answers, and their answers when they are behind. */
export interface Nodes {
  readonly names: readonly [string, ...string[]];
  readonly answer: Answer;
  readonly behind: Answer;
}

export function nodeNames(chain: string, count: number): [string, ...string[]] {
  const others = Array.from({ length: count - 1 }, (_, index) => `https://${chain}-${index + 2}.example`);
  return [`https://${chain}-1.example`, ...others];
}

/** The deps of a chain of either family that come from its process. */
export function chainDeps(process: Process, { answer, behind }: Nodes) {
  const { life, store, mishaps, clock, fault, log, listener } = process;
  return {
    records: store.records,
    listener,
    leases: storeLeases({
      records: store.records,
      workers: new Workers({ records: store.records, holder: life.name }),
      leaseMs: LEASE_MS,
      clock,
    }),
    clock,
    newId: () => newId('txn', clock()),
    fault,
    log,
    openRpc: ({ url }: { readonly url: string }) => rpcPort({ host: new URL(url).host, answer, behind, life, mishaps }),
  };
}

type RpcPortDeps = Omit<Nodes, 'names'> & Pick<Process, 'life' | 'mishaps'> & { readonly host: string };

const SLOW_MS = 5_000;

/** A node as one process reaches it. Its time-out is shorter than the longest delay. */
function rpcPort(deps: RpcPortDeps): RpcTransport {
  const batch = (calls: readonly RpcCall[]) => ask(deps, calls);
  return {
    host: deps.host,
    batch,
    call: async (method, params) => resultOf((await batch([{ method, params }]))[0]),
    abort: () => undefined,
    close: async () => undefined,
  };
}

function ask(deps: RpcPortDeps, calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
  const { life, mishaps, host, answer, behind } = deps;
  const what = `${host} ${namesOf(calls)}`;
  const mishap = mishaps.draw('rpc.down', 'rpc.lost', 'rpc.slow', 'rpc.behind');
  const all = () => Promise.all(calls.map(answer));
  switch (mishap) {
    case null:
      return life.call(what, all);
    case 'rpc.slow':
      return life.call(what, all, SLOW_MS);
    case 'rpc.down':
      return life.call(what, async () => silence(host));
    case 'rpc.lost':
      return life.call(what, async () => {
        await all();
        return silence(host);
      });
    case 'rpc.behind':
      return life.call(`${what} (behind)`, () => Promise.all(calls.map(behind)));
    default:
      return unknownCase(mishap, 'mishap');
  }
}

function silence(host: string): never {
  throw new NodeUnreachable(`${host} does not answer: simulated`);
}

/** The methods in their order, each once with its count. */
function namesOf(calls: readonly RpcCall[]): string {
  const counts = new Map<string, number>();
  for (const { method } of calls) counts.set(method, (counts.get(method) ?? 0) + 1);
  return [...counts].map(([method, count]) => (count === 1 ? method : `${method}×${count}`)).join(' ');
}
