import type { CatalogChain } from '../catalog.ts';
import { type ChainConfig, type ChainDeps, chainLoops } from '../chain-loops.ts';
import { OPEN } from '../consent.ts';
import { type ChainSizes, chainTiming, Reverts, Troubles } from '../context.ts';
import type { Chain } from '../port.ts';
import { Reconciler } from '../reconciler/reconciler.ts';
import { openRpcs } from '../rpc.ts';
import { Agreements } from './agreements.ts';
import { readAllowances } from './allowances.ts';
import { solanaApprovals } from './approvals.ts';
import { type SolanaContext, SolanaLink } from './context.ts';
import { openDeposit, readDeposits } from './deposits.ts';
import { Delegates, NO_ROOT } from './key-root.ts';
import type { SolanaSigner } from './keys.ts';
import { SignatureWatcher } from './logs/watcher.ts';
import { SOLANA_SIZES } from './options.ts';
import { parseSolanaAddress } from './plan.ts';
import { solanaReconciling } from './reconciler/strategy.ts';
import { draftRefund, readRefunds } from './refunds.ts';
import { RestoredGate } from './restored/gate.ts';
import { SolanaSender } from './sender/strategy.ts';
import { AssociatedAccounts } from './token-account.ts';
import { hasKey, KEYLESS, whyUnpayable, whyWithoutAccount } from './unpayable.ts';

export interface SolanaChainConfig extends ChainConfig<ChainSizes> {
  readonly chain: Pick<CatalogChain, 'chainId' | 'label' | 'tokens' | 'blockMs'>;
  /** Identifies the chain: a node with another hash is asked for nothing else. */
  readonly genesisHash: string;
  /** The addresses that `OPERATOR_SEED` gives, with the seed also their keys; null: the chain is not enabled. */
  readonly delegates: Delegates | null;
  /** Whether a start searches for transactions that the ledger does not know. Default: true. */
  readonly searchesForUnknown?: boolean;
}

export interface SolanaChainDeps extends ChainDeps {
  /** `SENDER_KEYS_SOLANA`: one signing queue for each. The order is the same in every process. */
  readonly feePayers: readonly SolanaSigner[];
}

/**
 * A Solana chain (docs/rules.md, "Operators, consent, allowances"). It is enabled if RPC, delegates and a fee payer are
 * configured. Before it signs anything, it checks genesis hash and mints. While that fails, or no node answers, it
 * waits, and `health` says so.
 */
export function createSolanaChain(config: SolanaChainConfig, deps: SolanaChainDeps): Chain {
  const { chainId, label, tokens, blockMs } = config.chain;
  const { genesisHash, confirmations } = config;
  const { feePayers, openRpc, ...shared } = deps;
  const { clock, log } = shared;
  const timing = chainTiming(blockMs, config.timing);
  const sizes = { ...SOLANA_SIZES, ...config.sizes };
  const troubles = new Troubles();
  const rpcs = openRpcs(config.rpcUrls, timing, sizes.rpcBatch, openRpc);
  const link = new SolanaLink({ chainId, genesisHash, tokens, rpcs, timing, troubles, clock, log });
  const ctx: SolanaContext = {
    ...shared,
    chainId,
    confirmations,
    link,
    delegates: config.delegates ?? new Delegates(NO_ROOT),
    associated: new AssociatedAccounts(),
    agreements: new Agreements(),
    troubles,
    reverts: new Reverts(troubles),
    timing,
    sizes,
    wakeReconciler: (inMs) => reconciler.wake(inMs),
    wakeQueues: () => loops.wake(),
  };
  const addresses = feePayers.map(({ address }) => address);
  const gate = new RestoredGate(ctx, addresses, config.searchesForUnknown ?? true);
  const reconciler = new Reconciler(ctx, solanaReconciling(ctx));
  const missing = config.delegates === null ? 'OPERATOR_SEED is not configured' : null;
  const mustHaveSeed = (what: string): void => {
    if (missing !== null) throw new Error(`Chain ${chainId} has no ${what}: ${missing}`);
  };
  const loops = chainLoops(ctx, {
    label,
    noOperators: missing,
    noSenders: 'no fee payer is configured',
    link,
    senders: feePayers.map((feePayer) => () => new SolanaSender(ctx, feePayer, gate)),
    others: [reconciler, new SignatureWatcher(ctx)],
  });
  return {
    ...loops,
    chainId,
    family: 'solana',
    router: null,
    routers: [],
    refunds: {
      // Its reference finds a refund wherever it is.
      searchStart: async () => null,
      draft: async (refund) => draftRefund(ctx, await link.ready(), refund),
      read: async (reads) => readRefunds(ctx, await link.ready(), reads),
    },
    permits: null,
    approvals: solanaApprovals(ctx),
    operatorFor(merchantId, mode, { isBounded } = OPEN) {
      mustHaveSeed('operators');
      return ctx.delegates.of({ merchantId, mode }, isBounded).address;
    },
    readAllowances: (reads) => readAllowances(ctx, reads),
    async openDeposit(key) {
      mustHaveSeed('deposits');
      return openDeposit(ctx, key);
    },
    readDeposits: async (reads) => readDeposits(ctx, await link.ready(), reads),
    acceptsSignature: async () => false,
    async whyUnsuitable(address, role, mints = []) {
      const { of } = await link.accounts([address]);
      const why = whyUnpayable(of.get(address) ?? null);
      if (why !== null || mints.length === 0) return why ?? (role === 'payer' && !hasKey(address) ? KEYLESS : null);
      return whyWithoutAccount(ctx, address, mints);
    },
    parseAddress: parseSolanaAddress,
  };
}
