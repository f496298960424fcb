import { readMark } from '../../../../src/chains/solana/restored/mark.ts';
import { DUE_LEASES } from '../../../../src/engine/due.ts';
import type { LeaseDoc, TransactionDoc } from '../../../../src/store/collections.ts';
import {
  before,
  type Finding,
  type Found,
  found,
  hasWorkers,
  note,
  PATIENCE_MS,
  type Patient,
  SHOWN,
  START_A_WORKER,
  STUCK_MS,
  wrong,
} from '../finding.ts';
import { everyChainId } from './charges.ts';

/** Configured chains that cannot charge, and Solana chains that wait after a restore. */
export async function chainTroubles({ chains, store }: Patient): Promise<Found> {
  const troubled = chains.flatMap(({ chainId, label, enabled, trouble }) => {
    if (trouble === null) return [];
    const about = `${label} (${chainId})`;
    if (enabled) return [wrong(about, trouble, remedy(chainId, trouble))];
    const todo = `set the missing variable, or remove RPC_URL_${chainId} if this chain is not needed`;
    return [note(about, `not enabled: ${trouble}`, todo)];
  });
  const waiting = await Promise.all(
    chains.map(async ({ chainId, label }) => {
      const stored = await readMark(store.records, chainId);
      if (stored === null) return [];
      const todo = 'keep a worker running: the wait ends within minutes; then run `npm run ops -- audit`';
      return [wrong(`${label} (${chainId})`, `charges wait: ${stored.mark.why}`, todo)];
    }),
  );
  return found([...troubled, ...waiting.flat()]);
}

/** Chosen by words of the trouble's text, which already names addresses and amounts. */
function remedy(chainId: number, trouble: string): string {
  if (/\bhas \S+ .*for (gas|fees);/.test(trouble)) {
    return 'send native coin to the named sender; its queue then continues';
  }
  if (/^nodes refuse transaction |is in no block;/.test(trouble)) {
    return 'read the reason; if it is the market, wait for lower fees, else ask the operator of the node';
  }
  if (/not enabled: /.test(trouble)) return '`npm run ops -- doctor --tokens` shows which token differs, and in what';
  if (/router/i.test(trouble)) {
    return `compare ROUTER_${chainId} with what \`npm run ops -- contracts deploy --chain ${chainId}\` printed; \`npm run ops -- contracts check\``;
  }
  return `check the nodes of RPC_URL_${chainId}, or put another one before them (comma separated)`;
}

/** Signing queues whose oldest transaction is in no block, and leases of dead processes. */
export async function signingQueues(patient: Patient): Promise<Found> {
  const [blocked, left] = await Promise.all([blockedQueues(patient), deadLeases(patient)]);
  return found([...blocked, ...left]);
}

async function blockedQueues(patient: Patient): Promise<Finding[]> {
  const { store, now, catalog } = patient;
  const createdAt = { lt: before(now, STUCK_MS) };
  const stuck = await Promise.all(
    everyChainId(patient).map((chainId) =>
      store.records.find('transactions', {
        where: { chainId, state: 'signed', createdAt },
        sort: [['askAt', 1]],
        limit: 1_000,
      }),
    ),
  );
  const byQueue = new Map<string, TransactionDoc[]>();
  for (const transaction of stuck.flat()) {
    const queue = `${transaction.chainId}:${transaction.sender}`;
    byQueue.set(queue, [...(byQueue.get(queue) ?? []), transaction]);
  }
  return [...byQueue.values()].slice(0, SHOWN).map((transactions) => {
    const first = transactions.reduce((one, other) => (other.nonce < one.nonce ? other : one));
    const label = catalog.chain(first.chainId)?.label ?? `chain ${first.chainId}`;
    const what = `${label}: ${transactions.length} transactions in no block, the first has nonce ${first.nonce}`;
    return wrong(first.sender, what, hasWorkers(patient) ? queueRemedy(first) : START_A_WORKER, first.createdAt);
  });
}

function queueRemedy({ versions, chainId, expiry }: TransactionDoc): string {
  const hash = versions.at(-1)?.hash ?? 'it';
  if (expiry !== undefined) return `search for ${hash} at the nodes of RPC_URL_${chainId}: it lands or expires`;
  return `search for ${hash} at the nodes of RPC_URL_${chainId}: the service replaces it at the same nonce while the sender has gas`;
}

/** More than an installation has: one for each loop of a chain and each group of partitions. */
const LEASES_MAX = 1_000;

/**
 * A lease that is given back says so. An expired one belonged to a dead process, and no other process has taken it. One
 * of a group of partitions is taken with the next large batch, so it means nothing.
 */
async function deadLeases({ store, now }: Patient): Promise<Finding[]> {
  const where = { until: { gt: new Date(0), lt: before(now, PATIENCE_MS) } };
  const left = await store.records.find('lanes', { where, limit: LEASES_MAX });
  const ofChains = left.filter(({ _id }) => !_id.startsWith(DUE_LEASES));
  return Promise.all(ofChains.slice(0, SHOWN).map((lease) => leaseFinding(store.records, lease)));
}

async function leaseFinding(records: Patient['store']['records'], { _id, holder, until }: LeaseDoc): Promise<Finding> {
  const chainId = Number(_id.split(':')[0]);
  const open = await Promise.all(
    (['waiting', 'started', 'sent', 'mined'] as const).map((state) => records.count('charges', { chainId, state }, 1)),
  );
  const what = `the process ${holder} ended without giving this lease back, and no other process has taken it`;
  return open.some((count) => count > 0)
    ? wrong(_id, what, `${START_A_WORKER}; it needs this key, because charges are open on chain ${chainId}`, until)
    : note(_id, what, 'no charge waits for it; a worker with this key takes it over', until);
}
