import { createHash, randomUUID } from 'node:crypto';
import type { CatalogToken } from '../../../src/chains/catalog.ts';
import type { Chain } from '../../../src/chains/port.ts';
import { createSolanaChain } from '../../../src/chains/solana/chain.ts';
import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { keyFromSecret } from '../../../src/chains/solana/keys.ts';
import type { SolanaSizes } from '../../../src/chains/solana/options.ts';
import type { ChainTiming } from '../../../src/chains/timing.ts';
import type { SolanaWorld } from '../../../src/service/local-world.ts';
import type { ChargeDoc, ShareRole } from '../../../src/store/collections.ts';
import type { RecordStore } from '../../../src/store/port.ts';
import type { LocalSolana } from '../../support/solana.ts';
import { ChainBench, type SharedDeps, type SharedWish, urlsOf } from '../support/bench.ts';

export const CHAIN_ID = 104;

export interface SolanaWish extends SharedWish {
  readonly confirmations?: number;
  readonly genesisHash?: string;
  readonly operatorSeed?: Uint8Array | null;
  readonly decimals?: number;
  readonly feePayers?: readonly string[];
  readonly sizes?: Partial<SolanaSizes>;
  /** Many stores charge on one chain here, so none searches for unknown charges unless a test needs it. */
  readonly searchesForUnknown?: boolean;
}

/** A store, a listener, and Solana chains on them. */
export class SolanaBench extends ChainBench<SolanaWish> {
  readonly local: Omit<LocalSolana, 'sockets'>;

  constructor(local: Omit<LocalSolana, 'sockets'>, records?: RecordStore) {
    super(records);
    this.local = local;
  }

  override chain(wish: SolanaWish = {}): Chain {
    return super.chain(wish);
  }

  protected override make(wish: SolanaWish, timing: Partial<ChainTiming>, deps: SharedDeps): Chain {
    const { world, openRpc } = this.local;
    const tokens = world.tokens.map(({ ticker, address, decimals }): CatalogToken => {
      const key = `${ticker.toLowerCase()}-local-solana`;
      const said = wish.decimals ?? decimals;
      return { key, ticker, decimals: said, chainId: CHAIN_ID, family: 'solana', address, symbols: [ticker] };
    });
    const seed = wish.operatorSeed === undefined ? world.operatorSeed : wish.operatorSeed;
    const feePayers = wish.feePayers ?? world.feePayers.slice(0, wish.senders ?? 1);
    return createSolanaChain(
      {
        chain: { chainId: CHAIN_ID, label: 'Test', tokens, blockMs: 50 },
        rpcUrls: urlsOf(wish, world.rpcUrl),
        genesisHash: wish.genesisHash ?? world.genesisHash,
        delegates: seed === null ? null : new Delegates(rootOfSeed(seed)),
        confirmations: wish.confirmations ?? null,
        timing,
        searchesForUnknown: wish.searchesForUnknown ?? false,
        ...(wish.sizes ? { sizes: wish.sizes } : {}),
      },
      { ...deps, feePayers: feePayers.map(keyFromSecret), ...(openRpc ? { openRpc } : {}) },
    );
  }
}

export interface SolanaChargeWish {
  readonly from: string;
  readonly merchantId?: string;
  readonly gross?: bigint;
  readonly shares?: readonly (readonly [role: ShareRole, to: string, amount: bigint])[];
  readonly ticker?: string;
  readonly key?: string;
  readonly attempt?: number;
}

/** A waiting charge of a new payment: 10 tokens of 6 decimals, 9.90 to the merchant and 0.10 to the platform. */
export function solanaCharge(world: SolanaWorld, wish: SolanaChargeWish): ChargeDoc {
  const { from, merchantId = 'mrc_a', gross = 10_000_000n, ticker = 'USDC', attempt = 1 } = wish;
  const key = wish.key ?? `0x${createHash('sha256').update(randomUUID()).digest('hex')}`;
  const fee = gross / 100n;
  const merchant = walletOf(world, 'merchant');
  const shares = wish.shares ?? [
    ['forward', merchant, gross - fee],
    ['platform', world.platform, fee],
  ];
  const now = new Date();
  return {
    _id: `${key}:${attempt}`,
    key,
    attempt,
    paymentId: `pay_${key}`,
    merchantId,
    mode: 'test',
    chainId: CHAIN_ID,
    token: world.tokens.find((token) => token.ticker === ticker)?.address ?? '',
    from,
    gross: String(gross),
    shares: shares.map(([role, to, amount]) => ({ role, to, amount: String(amount) })),
    isCycle: false,
    state: 'waiting',
    lane: null,
    transactionId: null,
    txHash: null,
    block: null,
    reason: null,
    notBefore: now,
    createdAt: now,
    updatedAt: now,
  };
}

export function walletOf(world: SolanaWorld, name: string): string {
  const found = world.wallets.find((wallet) => wallet.name === name);
  if (!found) throw new Error(`no test wallet ${name}`);
  return found.address;
}
