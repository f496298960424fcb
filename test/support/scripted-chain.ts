import {
  type AllowanceState,
  type Approvals,
  type Arrival,
  arrivalName,
  type Chain,
  type DepositRead,
  type DepositState,
  type Permits,
} from '../../src/chains/port.ts';
import { testOperator } from './http.ts';
import { NO_DEPOSITS } from './no-deposits.ts';

/**
 * The local EVM chain with scripted answers: every wallet has the test's allowance and balance, and nothing is charged
 * by itself.
 */
export interface ScriptedChain extends Chain {
  /** The allowance and balance of every wallet; null: the chain does not answer. */
  state: AllowanceState | null;
  /** The number of allowance reads. */
  checks: number;
  /** Transfers to deposit addresses with enough confirmations, in this order. */
  sent: { readonly to: string; readonly amount: bigint }[];
  /** A contract wallet's verdict on a signature. */
  accepts: (wallet: string, digest: string, signature: string) => boolean;
  /** Null: the tokens have no permits. */
  permits: Permits | null;
  approvals: Approvals | null;
}

const TEST_ROUTER = '0x00000000000000000000000000000000000F0F0F';

export const PLENTY: AllowanceState = { allowance: 10n ** 24n, balance: 10n ** 24n };
export const NOTHING: AllowanceState = { allowance: 0n, balance: 0n };

export function scriptedChain(): ScriptedChain {
  const chainId = 31_337;
  const chain: ScriptedChain = {
    state: NOTHING,
    checks: 0,
    sent: [],
    accepts: () => false,
    chainId,
    family: 'evm',
    enabled: true,
    router: TEST_ROUTER,
    routers: [TEST_ROUTER],
    operatorFor: testOperator,
    readAllowances: async (reads) => {
      chain.checks += 1;
      const { state } = chain;
      if (state === null) throw new Error('the node does not answer');
      return reads.map(() => state);
    },
    openDeposit: NO_DEPOSITS.openDeposit,
    readDeposits: async (reads) => reads.map((read) => depositState(read, chain.sent)),
    acceptsSignature: async (wallet, digest, signature) => chain.accepts(wallet, digest, signature),
    permits: null,
    approvals: null,
    whyUnsuitable: async () => null,
    parseAddress: (address) => address,
    wake: () => {},
    start: async () => {},
    stop: async () => {},
    health: async () => ({ chainId, label: 'A chain', enabled: true, trouble: null, head: 1, open: 0, senders: [] }),
  };
  return chain;
}

function depositState({ address, token, since, found, limit }: DepositRead, sent: ScriptedChain['sent']): DepositState {
  const arrivals = sent.flatMap(({ to, amount }, index): Arrival[] => {
    const arrival = { txHash: `0xsent${index}`, index: 0, token, from: SENDER, amount };
    return to === address ? [{ ...arrival, block: { number: index + 1, hash: `0xblock${index + 1}` } }] : [];
  });
  const known = new Set(found.map(arrivalName));
  const unknown = arrivals.filter((arrival) => !known.has(arrivalName(arrival)));
  return { arrivals: unknown.slice(0, limit), shallow: 0n, others: [], isCut: unknown.length > limit, since };
}

/** The sender to deposit addresses. */
export const SENDER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
