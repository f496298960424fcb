import type { LocalChain } from '../../../devnet/solana/local-chain.ts';
import type { Chain } from '../../../src/chains/port.ts';
import { createSolanaChain } from '../../../src/chains/solana/chain.ts';
import { keyFromSecret, type SolanaKey } from '../../../src/chains/solana/keys.ts';
import { SOLANA_SIZES } from '../../../src/chains/solana/options.ts';
import { CHARGES_AT_ONCE, chainDeps, type Nodes, nodeNames, TIMING } from '../chain-deps.ts';
import type { SimSource } from '../evm/world.ts';
import type { Pace, Process, SimulatedChain, SimulatedCharge, SimulatedTransfer } from '../simulated-chain.ts';
import { behind } from './behind.ts';
import { SolanaControls } from './controls.ts';
import { SimSolana } from './node.ts';

/** The longest leap, in slots: beyond the validity of any blockhash. */
const LEAP_MOST = 200;

/** Lets slots pass, with faults, until the run ends. Waiting transactions land in the next slot that takes them. */
function driveSolana(chain: LocalChain, { time, trace, random, mishaps, onBlock }: Pace, slotMs: number): void {
  const leap = (slots: number): void => {
    trace.say('chain', `leaps ${slots} slots`);
    chain.skip(slots);
  };
  const next = (): void => {
    const waiting = chain.waiting();
    if (waiting.length > 0 && mishaps.draw('chain.drop') !== null) {
      const signature = random.pick(waiting);
      trace.say('chain', `loses ${signature}`);
      chain.lose(signature);
      if (mishaps.draw('chain.lapse') !== null) leap(LEAP_MOST);
    }
    if (mishaps.draw('chain.leap') !== null) leap(random.integer(1, LEAP_MOST));
    const isFull = waiting.length > 0 && mishaps.draw('chain.full') !== null;
    const landed = isFull ? 0 : chain.carryOut();
    if (landed > 0) trace.say('chain', `slot ${chain.slots.slot()} of ${landed}`);
    onBlock(landed > 0);
    time.in(random.integer(Math.floor(slotMs / 2), Math.floor(slotMs * 1.5)), next);
  };
  time.in(slotMs, next);
}

export interface SimulatedSolanaOptions extends SimSource {
  readonly feePayers: number;
  /** Null: `confirmed` is final. */
  readonly confirmations: number | null;
  /** How many nodes each process is configured with. */
  readonly nodes: number;
  readonly chargesAtOnce?: number;
}

export interface SimulatedSolana extends SimulatedChain {
  readonly controls: SolanaControls;
  readonly sim: SimSolana;
}

const SLOT_MS = 400;
const TOKEN_KEY = 'usdc-local-solana';

/** How many slots a node is behind. */
const BEHIND_SLOTS = 8;

/** The memo of a charge contains its key. */
const CHARGE = /tideline:(0x[0-9a-f]{64})/;

export function createSimulatedSolana({ now, random, feePayers, ...options }: SimulatedSolanaOptions): SimulatedSolana {
  const sim = new SimSolana({ now, random }, SLOT_MS);
  const keys = sim.world.feePayers.slice(0, feePayers).map(keyFromSecret);
  const nodes: Nodes = {
    names: nodeNames('solana', options.nodes),
    answer: sim.answer,
    behind: behind(sim.answer, BEHIND_SLOTS, () => sim.chain.slots.slot()),
  };
  return {
    sim,
    family: 'solana',
    chainId: sim.config.chain.chainId,
    tokenKey: TOKEN_KEY,
    controls: new SolanaControls(sim),
    open: (process) => openChain(sim, nodes, { keys, ...options }, process),
    drive: (pace) => driveSolana(sim.chain, pace, SLOT_MS),
    settle: async () => void sim.chain.carryOut(),
    calm: () => undefined,
    waiting: () => sim.chain.waiting().length,
    charges: () => chargesOf(sim),
    transfers: () => transfersOf(sim),
    balanceOf: (wallet) => sim.balanceOf(wallet),
    allowanceOf: (wallet, spender) => sim.allowanceOf(wallet, spender),
    residues: () => [],
    end: () => sim.close(),
  };
}

interface Options extends Pick<SimulatedSolanaOptions, 'confirmations' | 'chargesAtOnce'> {
  readonly keys: readonly SolanaKey[];
}

function openChain(sim: SimSolana, nodes: Nodes, options: Options, process: Process): Chain {
  const { keys, confirmations, chargesAtOnce = CHARGES_AT_ONCE } = options;
  return createSolanaChain(
    {
      ...sim.config,
      confirmations,
      rpcUrls: nodes.names,
      timing: TIMING,
      sizes: { ...SOLANA_SIZES, charges: chargesAtOnce },
    },
    { ...chainDeps(process, nodes), feePayers: keys },
  );
}

/** The charges by their memos, with the amounts that left the payers' accounts. */
function chargesOf(sim: SimSolana): SimulatedCharge[] {
  const charges = new Map<string, SimulatedCharge>();
  for (const { owner, amount, signature, slot, memo } of sim.movements()) {
    const [, key] = CHARGE.exec(memo ?? '') ?? [];
    if (key === undefined || amount > 0n) continue;
    const gross = (charges.get(signature)?.gross ?? 0n) - amount;
    charges.set(signature, { key, payer: owner, gross, txHash: signature, block: slot });
  }
  return [...charges.values()];
}

/** Of each transaction in which one owner alone pays. */
function transfersOf(sim: SimSolana): SimulatedTransfer[] {
  const payers = new Map(
    sim.movements().flatMap(({ owner, amount, signature }) => (amount < 0n ? [[signature, owner] as const] : [])),
  );
  return sim.movements().flatMap(({ owner: to, amount, signature: txHash }) => {
    const from = payers.get(txHash);
    return from === undefined || amount < 0n ? [] : [{ from, to, amount, txHash }];
  });
}
