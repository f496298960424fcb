import { createHash } from 'node:crypto';
import { buildCatalog, type Catalog, localEvmTokens } from '../src/chains/catalog.ts';
import { refundTransactions } from '../src/chains/evm/refunds.ts';
import {
  type AllowanceState,
  type Approvals,
  type Arrival,
  arrivalName,
  type Chain,
  type DepositRead,
  type DepositState,
  type FoundRefund,
  type Permits,
} from '../src/chains/port.ts';
import { type ChargedService, ScriptedCharges } from './scripted-charges.ts';

/** The local EVM chain with the test's answers: one allowance and balance; the test decides each charge. */
export interface ScriptedChain extends Chain {
  readonly charges: ScriptedCharges;
  /** The allowance and balance of every wallet; null: the chain does not answer. */
  state: AllowanceState | null;
  /** As `state`, for one wallet. */
  stateOf: (wallet: string) => AllowanceState | null;
  /** The number of allowance reads. */
  checks: number;
  /** Transfers to deposit addresses with enough confirmations, in this order. */
  sent: { readonly to: string; readonly amount: bigint }[];
  /** The transfers that make refunds, as the chain shows them. */
  refunded: FoundRefund[];
  /** Those of the known ones that the chain has dropped. */
  dropped: FoundRefund[];
  /** The last block that never changes, for refunds. */
  finalized: number;
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
  const charges = new ScriptedCharges((wallet) => chain.stateOf(wallet));
  const chain: ScriptedChain = {
    charges,
    state: NOTHING,
    stateOf: () => chain.state,
    checks: 0,
    sent: [],
    refunded: [],
    dropped: [],
    finalized: 0,
    accepts: () => false,
    ...localChain(),
    router: TEST_ROUTER,
    routers: [TEST_ROUTER],
    wake: () => charges.wake(),
    readAllowances: async (reads) => {
      chain.checks += 1;
      return reads.map(({ wallet }) => {
        const state = chain.stateOf(wallet);
        if (state === null) throw new Error('the node does not answer');
        return state;
      });
    },
    readDeposits: async (reads) => reads.map((read) => depositState(read, chain.sent)),
    refunds: {
      searchStart: async () => (chain.state === null ? null : 1),
      draft: async (refund) => {
        const state = chain.stateOf(refund.from);
        if (state === null) throw new Error('the node does not answer');
        return {
          transactions: refundTransactions({ chainId: chain.chainId }, TEST_ROUTER, refund, state.allowance),
          balance: state.balance,
        };
      },
      read: async (reads) =>
        reads.map(({ key, token }) => ({
          found: chain.refunded.filter((each) => each.key === key && each.token === token),
          gone: chain.dropped.filter((each) => each.key === key),
          finalized: chain.finalized,
          since: 1,
        })),
    },
    acceptsSignature: async (wallet, digest, signature) => chain.accepts(wallet, digest, signature),
  };
  return chain;
}

/** Lets the scripted chains among these report their charges to a service. */
export function reportCharges(chains: readonly (Chain | ScriptedChain)[], service: ChargedService): void {
  for (const chain of chains) if ('charges' in chain) chain.charges.reportTo(service);
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

/** The chains and tokens of an installation with the local EVM chain. */
export function scriptedCatalog(): Catalog {
  const tokens = localEvmTokens().map(({ ticker, decimals }, index) => ({
    ticker,
    decimals,
    address: `0x${String(index + 1).padStart(40, '0')}`,
  }));
  return buildCatalog({ localEvm: { tokens } });
}

/** The local EVM chain, enabled: nobody has approved anything, and no money ever arrives. */
export function localChain(): Chain {
  return quietChain(31_337);
}

/** Base Sepolia, which is known and has no router. */
export function withoutRouter(): Chain {
  const operatorFor = (): string => {
    throw new Error('Chain 84532 has no operators: ROUTER_84532 is not configured');
  };
  return { ...quietChain(84_532), enabled: false, operatorFor };
}

/** An enabled EVM chain on which nothing happens by itself. */
export function quietChain(chainId: number): Chain {
  return {
    chainId,
    family: 'evm',
    enabled: true,
    senderCount: 1,
    router: null,
    routers: [],
    operatorFor: testOperator,
    readAllowances: async () => [],
    acceptsSignature: async () => false,
    refunds: {
      searchStart: async () => 1,
      draft: async () => ({ transactions: [], balance: 0n }),
      read: async (reads) => reads.map(({ since }) => ({ found: [], gone: [], finalized: 0, since })),
    },
    permits: null,
    approvals: null,
    openDeposit: async (key) => ({ address: `0x${key.slice(-40)}`, since: 1, router: null }),
    readDeposits: async (reads) =>
      reads.map(({ since }) => ({ arrivals: [], shallow: 0n, others: [], isCut: false, since })),
    whyUnsuitable: async () => null,
    parseAddress: (address) => address,
    wake: () => {},
    start: async () => {},
    stop: async () => {},
    health: async () => ({
      chainId,
      label: 'A chain',
      enabled: true,
      trouble: null,
      head: 1,
      reverts: 0,
      open: 0,
      senders: [],
    }),
  };
}

/** The operator of a merchant on a scripted chain. */
export function testOperator(merchantId: string, mode: string): string {
  return `0x${createHash('sha256').update(`${merchantId}/${mode}`).digest('hex').slice(0, 40)}`;
}
