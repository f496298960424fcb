import { LOCAL_EVM_CHAIN, LOCAL_SOLANA_CHAIN } from '../../../../src/chains/catalog-rows.ts';
import type { ChainHealth } from '../../../../src/chains/port.ts';
import { readMark } from '../../../../src/chains/solana/restored/mark.ts';
import { DUE_LEASES } from '../../../../src/engine/due.ts';
import { formatAmount } from '../../../../src/model/amounts.ts';
import type { ChargeDoc, LeaseDoc, TransactionDoc } from '../../../../src/store/collections.ts';
import {
  before,
  COUNTED_MOST,
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
  together,
  wrong,
} from '../finding.ts';

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
  const open = await Promise.all(OPEN.map((state) => records.count('charges', { chainId, state }, 1)));
  const what = `the process ${holder} ended without giving this lease back, and no other process has taken it`;
  return open.some((count) => count > 0)
    ? wrong(_id, what, `${START_A_WORKER}; it needs this key, because charges are open on chain ${chainId}`, until)
    : note(_id, what, 'no charge waits for it; a worker with this key takes it over', until);
}

const OPEN = ['waiting', 'started', 'sent', 'mined'] as const satisfies readonly ChargeDoc['state'][];
type OpenState = (typeof OPEN)[number];

/** Every chain that the ledger may have charges on, configured now or not. */
function everyChainId({ catalog }: Pick<Patient, 'catalog'>): number[] {
  const ids = catalog.chains.map(({ chainId }) => chainId);
  return [...new Set([...ids, LOCAL_EVM_CHAIN.chainId, LOCAL_SOLANA_CHAIN.chainId])];
}

export async function openCharges(patient: Patient): Promise<Found> {
  const kinds = everyChainId(patient).flatMap((chainId) => OPEN.map((state) => ({ chainId, state })));
  return together(await Promise.all(kinds.map((kind) => chargesAt(patient, kind))));
}

interface OpenCharges {
  readonly chainId: number;
  readonly state: OpenState;
}

async function chargesAt(patient: Patient, { chainId, state }: OpenCharges): Promise<Found> {
  const { records } = patient.store;
  const where = { chainId, state, createdAt: { lt: before(patient.now, timeFor(patient, chainId, state)) } };
  const count = await records.count('charges', where, COUNTED_MOST);
  if (count === 0) return { count, findings: [] };
  const charges = await records.find('charges', { where, sort: [['notBefore', 1]], limit: SHOWN });
  return { count, findings: charges.map((charge) => finding(patient, charge, state)) };
}

/** Five minutes; for a mined charge, also the time of the blocks that make it final. */
function timeFor({ catalog, depths }: Patient, chainId: number, state: OpenState): number {
  const chain = catalog.chain(chainId);
  if (state !== 'mined' || chain === undefined) return STUCK_MS;
  const depth = depths.get(chainId) ?? (chain.family === 'evm' ? chain.confirmations : 0);
  return STUCK_MS + depth * chain.blockMs;
}

function finding(patient: Patient, charge: ChargeDoc, state: OpenState): Finding {
  const chain = patient.catalog.chain(charge.chainId);
  const token = chain?.tokens.find(({ address }) => address.toLowerCase() === charge.token.toLowerCase());
  const amount = `${formatAmount(BigInt(charge.gross), token?.decimals ?? 0)} ${token?.ticker ?? charge.token}`;
  const health = patient.chains.find(({ chainId }) => chainId === charge.chainId);
  const where = `${state} on ${chain?.label ?? `chain ${charge.chainId}`}`;
  const what = `${amount}, attempt ${charge.attempt}: ${where}, ${WHAT[state]}`;
  return wrong(charge.paymentId, what, todoFor(patient, charge, state, health), charge.createdAt);
}

const WHAT: Readonly<Record<OpenState, string>> = {
  waiting: 'no sender has taken it',
  started: 'a sender has taken it, but no signed transaction is stored',
  sent: 'its transaction is signed and in no block',
  mined: 'in a block that is not deep enough yet',
};

function todoFor(patient: Patient, charge: ChargeDoc, state: OpenState, health: ChainHealth | undefined): string {
  const { chainId } = charge;
  if (health === undefined) return `set RPC_URL_${chainId} again: charges are open on a chain that is not configured`;
  if (!health.enabled)
    return `${health.trouble ?? 'the chain is not enabled'}: configure the chain, because charges are open on it`;
  if (health.trouble !== null) return `repair the chain first: ${health.trouble}`;
  if (!hasWorkers(patient)) return START_A_WORKER;
  return TODO[state](charge);
}

const TODO: Readonly<Record<OpenState, (charge: ChargeDoc) => string>> = {
  waiting: ({ notBefore, paymentId }) =>
    `it is tried again at ${notBefore.toISOString()}; /staff/payments/${paymentId} shows why it waits`,
  started: () => 'a worker recovers it: if it stays, restart the workers, and search for its id in their log',
  sent: ({ txHash, transactionId }) =>
    `search for ${txHash ?? transactionId} at the node; the service broadcasts it again, and on EVM replaces it at the same nonce`,
  mined: ({ txHash, block }) =>
    `check whether ${txHash} is still in block ${block?.number} at the node, and whether the chain's head advances (tideline_chain_head_block)`,
};
