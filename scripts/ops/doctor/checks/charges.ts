import { LOCAL_EVM_CHAIN, LOCAL_SOLANA_CHAIN } from '../../../../src/chains/catalog-rows.ts';
import type { ChainHealth } from '../../../../src/chains/port.ts';
import { formatAmount } from '../../../../src/model/amounts.ts';
import type { ChargeDoc } from '../../../../src/store/collections.ts';
import {
  before,
  COUNTED_MOST,
  type Finding,
  type Found,
  hasWorkers,
  type Patient,
  SHOWN,
  START_A_WORKER,
  STUCK_MS,
  together,
  wrong,
} from '../finding.ts';

type OpenState = Extract<ChargeDoc['state'], 'waiting' | 'started' | 'sent' | 'mined'>;
const OPEN: readonly OpenState[] = ['waiting', 'started', 'sent', 'mined'];

/** Every chain that the ledger may have charges on, configured now or not. */
export function everyChainId({ catalog }: Pick<Patient, 'catalog'>): number[] {
  const ids = catalog.chains.map(({ chainId }) => chainId);
  return [...new Set([...ids, LOCAL_EVM_CHAIN.chainId, LOCAL_SOLANA_CHAIN.chainId])];
}

/** Charges that are not final in time, by chain and state. */
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
