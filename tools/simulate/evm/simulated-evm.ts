import { localEvmTokens } from '../../../src/chains/catalog.ts';
import { createEvmChain } from '../../../src/chains/evm/chain.ts';
import { EVM_SIZES } from '../../../src/chains/evm/context.ts';
import { MandateReader } from '../../../src/chains/mandate-reader.ts';
import type { Chain } from '../../../src/chains/port.ts';
import { CHARGES_AT_ONCE, chainDeps, type Nodes, nodeNames, TIMING } from '../chain-deps.ts';
import type { Pace, Process, SimulatedChain } from '../simulated-chain.ts';
import type { SimChain } from './chain.ts';
import { SimEvm } from './node.ts';
import type { Answer } from './transport.ts';
import type { SimSource } from './world.ts';

interface EvmDriverOptions {
  readonly blockMs: number;
  /** The depth of the deepest reorganisation; deeper blocks are final. */
  readonly deepest: number;
}

const HOWS = ['again', 'reordered', 'later', 'never'] as const;
const GWEI = 1_000_000_000n;

/** The probability per block that raised fees fall back. */
const FEES_FALL = 0.15;

/** Makes blocks, with faults, until the run ends. */
function driveEvm(chain: SimChain, pace: Pace, { blockMs, deepest }: EvmDriverOptions): void {
  const { time, trace, random, mishaps, onBlock } = pace;
  const next = async (): Promise<void> => {
    const isReorganised = await befall(chain, pace, deepest);
    const mayHaveCharges = isReorganised || chain.pool.hashes.length > 0;
    const most = mishaps.draw('chain.full') === null ? Number.POSITIVE_INFINITY : random.integer(0, 1);
    const { number } = await chain.mine(most);
    trace.say('chain', `block ${number}`);
    onBlock(mayHaveCharges);
    time.in(random.integer(Math.floor(blockMs / 2), Math.floor(blockMs * 1.5)), () => void next());
  };
  time.in(blockMs, () => void next());
}

/** Applies the faults of one block. True: it replaced blocks. */
async function befall(chain: SimChain, { mishaps, random, trace }: Pace, deepest: number): Promise<boolean> {
  const waiting = chain.pool.hashes;
  if (waiting.length > 0 && mishaps.draw('chain.drop') !== null) {
    const hash = random.pick(waiting);
    trace.say('chain', `forgets ${hash}`);
    chain.pool.remove(hash);
  }
  if (chain.nextBaseFee > GWEI && random.next() < FEES_FALL) chain.nextBaseFee = GWEI;
  if (mishaps.draw('chain.fees') !== null) chain.nextBaseFee = BigInt(random.integer(1, 400)) * GWEI;
  if (deepest === 0 || mishaps.draw('chain.reorg') === null) return false;
  const depth = random.integer(1, deepest);
  const how = random.pick(HOWS);
  trace.say('chain', `reorganises ${depth} blocks, ${how}`);
  await chain.reorg(depth, how);
  return true;
}

export interface SimulatedEvmOptions extends SimSource {
  readonly senders: number;
  readonly confirmations: number;
  /** How many blocks `finalized` is behind the newest one; reorganisations are at most so deep. */
  readonly finalizedDepth: number;
  /** How many nodes each process is configured with. */
  readonly nodes: number;
  /** The usual time between two blocks; 500 by default. */
  readonly blockMs?: number;
  /** How many of its tokens the product's chain has, 1 by default. */
  readonly tokenCount?: number;
  readonly chargesAtOnce?: number;
}

export interface SimulatedEvm extends SimulatedChain {
  readonly sim: SimEvm;
}

const BLOCK_MS = 500;
const TOKEN_KEY = 'usdc-local-evm';

/** A node that is behind does not know the newest transactions. */
const UNKNOWN_WHEN_BEHIND: ReadonlySet<string> = new Set(['eth_getTransactionReceipt', 'eth_getTransactionByHash']);

export async function openSimulatedEvm({
  nodes,
  finalizedDepth,
  blockMs = BLOCK_MS,
  tokenCount = 1,
  chargesAtOnce = CHARGES_AT_ONCE,
  ...options
}: SimulatedEvmOptions): Promise<SimulatedEvm> {
  const sim = await SimEvm.open({ ...options, finalizedDepth, tokens: localEvmTokens(), blockMs });
  const behind: Answer = async (call) =>
    UNKNOWN_WHEN_BEHIND.has(call.method) ? { ok: true, result: null } : sim.answer(call);
  const wired: Nodes = { names: nodeNames('node', nodes), answer: sim.answer, behind };
  return {
    sim,
    family: 'evm',
    chainId: sim.world.chainId,
    tokenKey: TOKEN_KEY,
    controls: sim,
    open: (process) => openChain(sim, wired, { tokenCount, chargesAtOnce }, process),
    drive: (pace) => driveEvm(sim.chain, pace, { blockMs, deepest: finalizedDepth }),
    settle: async () => void (await sim.chain.mine()),
    calm: () => {
      sim.chain.nextBaseFee = GWEI;
    },
    waiting: () => sim.chain.pool.hashes.length,
    charges: () => sim.charges(),
    transfers: () => sim.transfers(),
    balanceOf: (wallet) => sim.balanceOf(wallet),
    allowanceOf: (wallet, spender) => sim.allowanceOf(wallet, spender),
    residues: () => residues(sim),
    end: () => undefined,
  };
}

type Sizes = Required<Pick<SimulatedEvmOptions, 'tokenCount' | 'chargesAtOnce'>>;

function openChain(sim: SimEvm, nodes: Nodes, { tokenCount, chargesAtOnce }: Sizes, process: Process): Chain {
  const { chain, ...config } = sim.world.config;
  return createEvmChain(
    {
      ...config,
      chain: { ...chain, tokens: chain.tokens.slice(0, tokenCount) },
      rpcUrls: nodes.names,
      timing: TIMING,
      sizes: { ...EVM_SIZES, charges: chargesAtOnce },
    },
    { ...chainDeps(process, nodes), mandates: new MandateReader(process.store.records), signers: sim.world.signers },
  );
}

function residues(sim: SimEvm): string[] {
  const { router, tokens } = sim.world;
  return tokens.flatMap(({ address, ticker }) => {
    const left = sim.balanceOf(router, address);
    return left === 0n ? [] : [`${left} base units of ${ticker} are left at the router`];
  });
}
