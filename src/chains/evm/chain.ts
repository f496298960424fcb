import { parseUnits, ZeroAddress } from 'ethers';
import type { EvmCatalogChain } from '../catalog.ts';
import { type ChainConfig, type ChainDeps, chainLoops } from '../chain-loops.ts';
import { chainTiming, Reverts, Troubles } from '../context.ts';
import type { Chain } from '../port.ts';
import { Reconciler } from '../reconciler/reconciler.ts';
import { openRpcs } from '../rpc.ts';
import { parseAddress } from './address.ts';
import { AllowanceReader } from './allowances.ts';
import { EVM_SIZES, type EvmContext, type EvmSizes } from './context.ts';
import { acceptsSignature } from './contract-signatures.ts';
import { openDeposit, readDeposits, searchStart } from './deposits.ts';
import { FeeLimits } from './fee-limits.ts';
import { EvmLink } from './link.ts';
import { LogWatcher } from './logs/watcher.ts';
import { evmPermits } from './permits/permits.ts';
import { evmReconciling } from './reconciler/strategy.ts';
import { readRefunds, refundTransactions } from './refunds.ts';
import { Routers } from './routers.ts';
import { EvmSender } from './sender/strategy.ts';
import type { Signer } from './signer.ts';

export interface EvmChainConfig extends ChainConfig<EvmSizes> {
  readonly chain: Pick<
    EvmCatalogChain,
    'chainId' | 'label' | 'tokens' | 'blockMs' | 'confirmations' | 'tipGwei' | 'testnet'
  >;
  /** `ROUTER_<chainId>`, the newest first. Empty: the chain is not enabled. */
  readonly routers: readonly string[];
}

interface EvmChainDeps extends ChainDeps, Pick<EvmContext, 'mandates'> {
  /** One queue for each; the order is the same in every process. */
  readonly signers: readonly Signer[];
}

/**
 * An EVM chain (docs/rules.md, "Operators, consent, allowances"). It is enabled if it has an RPC URL, a router and a
 * sender key. Before it signs anything it checks chain id, router code and tokens. While that fails, or no node
 * answers, it waits and reports the trouble.
 *
 * @throws Error when the router is no address
 */
export function createEvmChain(config: EvmChainConfig, deps: EvmChainDeps): Chain {
  const { chainId, label, tokens, blockMs, tipGwei, testnet } = config.chain;
  const routers = new Routers(chainId, config.routers);
  const router = routers.newest;
  const { signers, openRpc, ...shared } = deps;
  const { clock, log } = shared;
  const timing = chainTiming(blockMs, config.timing);
  const sizes = { ...EVM_SIZES, ...config.sizes };
  const troubles = new Troubles();
  const wei = (gwei: number) => parseUnits(String(gwei), 'gwei');
  const fees = new FeeLimits(wei(tipGwei.min), wei(tipGwei.max));
  const rpcs = openRpcs(config.rpcUrls, timing, sizes.rpcBatch, openRpc);
  const link = new EvmLink({ chainId, routers: routers.all, tokens, fees, rpcs, timing, troubles, clock, log });
  const ctx: EvmContext = {
    ...shared,
    chainId,
    confirmations: config.confirmations ?? config.chain.confirmations,
    link,
    routers,
    allowances: new AllowanceReader(link, sizes.multicall),
    searched: new Map(),
    troubles,
    reverts: new Reverts(troubles),
    timing,
    sizes,
    wakeReconciler: (inMs) => reconciler.wake(inMs),
    wakeQueues: () => loops.wake(),
  };
  const reconciler = new Reconciler(ctx, evmReconciling(ctx));
  const loops = chainLoops(ctx, {
    label,
    noOperators: router === null ? `ROUTER_${chainId} is not configured` : null,
    noSenders: 'no sender key is configured',
    link,
    senders: signers.map((signer) => (queue) => new EvmSender(ctx, signer, queue)),
    others: [reconciler, new LogWatcher(ctx, testnet ? 'test' : 'live')],
  });
  return {
    ...loops,
    chainId,
    family: 'evm',
    router,
    routers: routers.all,
    refunds: {
      searchStart: () => searchStart(ctx),
      async draft(refund) {
        const { token, from: wallet } = refund;
        if (router === null) throw new Error(`Chain ${chainId} has no refunds: it has no router`);
        const checked = await link.ready();
        const [state] = await ctx.allowances.readNewest([{ token, wallet, operator: router }], checked.tokens);
        if (!state) throw new Error(`Token ${token} is not enabled on chain ${chainId}`);
        const transactions = refundTransactions(ctx, router, refund, state.allowance);
        return { transactions, balance: state.balance };
      },
      async read(reads) {
        await link.ready();
        return readRefunds(ctx, reads);
      },
    },
    permits: evmPermits(ctx),
    approvals: null,
    operatorFor(merchantId, mode, consent = { isBounded: false, router }) {
      if (router === null) {
        throw new Error(`Chain ${chainId} has no operators: ROUTER_${chainId} is not configured`);
      }
      return routers.operatorFor({ merchantId, mode }, consent);
    },
    async readAllowances(reads) {
      const checked = await link.ready();
      return ctx.allowances.readNewest(reads, checked.tokens);
    },
    async openDeposit(key) {
      if (router === null) throw new Error(`Chain ${chainId} has no deposits: it has no router`);
      return openDeposit(ctx, router, key);
    },
    async readDeposits(reads) {
      const checked = await link.ready();
      return readDeposits(ctx, checked.tokens, reads);
    },
    async acceptsSignature(wallet, digest, signature) {
      await link.ready();
      return acceptsSignature(link, wallet, digest, signature);
    },
    // A router refuses a share for itself.
    async whyUnsuitable(address) {
      return routers.all.includes(address) ? 'the router, which only passes money on' : null;
    },
    parseAddress(address) {
      const checksummed = parseAddress(address);
      return checksummed === ZeroAddress ? null : checksummed;
    },
  };
}
