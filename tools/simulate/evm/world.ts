import { createHash } from 'node:crypto';
import { getCreateAddress } from 'ethers';
import type { CatalogToken } from '../../../src/chains/catalog.ts';
import { getAddress } from '../../../src/chains/evm/address.ts';
import type { EvmChainConfig } from '../../../src/chains/evm/chain.ts';
import { createLocalSigner, type Signer } from '../../../src/chains/evm/signer.ts';
import { remembered } from '../../../src/chains/remembered.ts';
import { CHAIN_ID } from './execute.ts';

/** The only clock and the only source of randomness in a simulation. */
export interface SimSource {
  /** Milliseconds of Unix time; never goes back. */
  readonly now: () => number;
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

interface SimTokenWish {
  /** Also the symbol; the name is `Test <ticker>`. */
  readonly ticker: string;
  readonly decimals: number;
}

interface SimToken extends SimTokenWish {
  /** EIP-55. */
  readonly address: string;
}

export interface SimEvmOptions extends SimSource {
  /** USDC with 6 decimals and USDT with 18 by default. */
  readonly tokens?: readonly SimTokenWish[];
  /** The number of the router's senders, 2 by default. Each has 10,000 of the native coin. */
  readonly senders?: number;
  /** The block time in the settings of the product, 2,000 by default. Blocks are made on command alone. */
  readonly blockMs?: number;
  /** The number of blocks, its own included, that make a transaction final; 1 by default. */
  readonly confirmations?: number;
  /** How many blocks `finalized` is behind the newest block; 2 by default. */
  readonly finalizedDepth?: number;
}

/** The accounts and contracts of a simulated chain's first block. Addresses are EIP-55. */
export interface SimEvmWorld {
  readonly chainId: number;
  readonly router: string;
  /** The owner of the router and of the tokens. */
  readonly owner: string;
  readonly tokens: readonly [SimToken, ...SimToken[]];
  readonly senders: readonly string[];
  readonly signers: readonly Signer[];
  /** The configuration of an `EvmChain` without its deps. `rpcUrls` is only a name: `openRpc` reaches the node. */
  readonly config: EvmChainConfig;
}

const TOKENS: readonly SimTokenWish[] = [
  { ticker: 'USDC', decimals: 6 },
  { ticker: 'USDT', decimals: 18 },
];

/** Addresses follow from names and are the same in every run, so that a run depends on its seed only. */
export function makeWorld(options: SimEvmOptions): SimEvmWorld {
  const { senders = 2, blockMs = 2_000, confirmations = 1 } = options;
  const owner = someAddress('owner of everything');
  const router = madeBy(owner, 0);
  const [first, ...others] = (options.tokens ?? TOKENS).map(
    (wish, index): SimToken => ({ ...wish, address: madeBy(owner, 1 + index) }),
  );
  if (first === undefined) throw new Error('A simulated chain needs at least one token; the options name none');
  const tokens = [first, ...others] as const;
  const signers = Array.from({ length: senders }, (_, index) => senderOf(index));
  return {
    chainId: CHAIN_ID,
    router,
    owner,
    tokens,
    senders: signers.map(({ address }) => address),
    signers,
    config: {
      chain: {
        chainId: CHAIN_ID,
        label: 'Simulated EVM',
        testnet: true,
        tokens: tokens.map((token) => catalogToken(token)),
        blockMs,
        confirmations,
        tipGwei: { min: 0, max: 50 },
      },
      rpcUrls: ['simulated'],
      routers: [router],
      confirmations,
    },
  };
}

function catalogToken({ ticker, decimals, address }: SimToken): CatalogToken {
  const key = `${ticker.toLowerCase()}-simulated`;
  return { key, ticker, decimals, chainId: CHAIN_ID, family: 'evm', address, symbols: [ticker] };
}

/** An address without a known key. */
export function someAddress(name: string): string {
  return getAddress(digestOf(`simulated ${name}`).slice(0, 42));
}

/** 32 bytes (0x-hex), unique for the text. SHA-256: keccak takes twenty times as long, and nobody checks. */
export function digestOf(text: string): string {
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}

/** Every run needs the same ones. */
const made = new Map<string, string>();

function madeBy(from: string, nonce: number): string {
  return remembered(made, `${nonce} of ${from}`, () => getCreateAddress({ from, nonce }));
}

/** The signers of senders, by index. */
const known: Signer[] = [];

function senderOf(index: number): Signer {
  known[index] ??= createLocalSigner(digestOf(`simulated sender ${index}`));
  return known[index];
}
