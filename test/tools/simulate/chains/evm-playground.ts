import { createEvmChain } from '../../../../src/chains/evm/chain.ts';
import { operatorAddress } from '../../../../src/chains/evm/contracts/router.ts';
import { createLocalSigner } from '../../../../src/chains/evm/signer.ts';
import { MandateReader } from '../../../../src/chains/mandate-reader.ts';
import type { Chain } from '../../../../src/chains/port.ts';
import { JsonRpc, type OpenRpc } from '../../../../src/chains/rpc.ts';
import type { ChainTiming } from '../../../../src/chains/timing.ts';
import { SimEvm, type SimTransfer } from '../../../../tools/simulate/evm/node.ts';
import { note, type PlayBench, type Playground, type PlayWish } from '../../../chains/contract/playground.ts';
import { MERCHANT, PLATFORM, UNLIMITED, waitingCharge } from '../../../chains/evm/world.ts';
import { ChainBench, type SharedDeps, urlsOf } from '../../../chains/support/bench.ts';
import { type Front, openFront } from './front.ts';

const MILLION = 1_000_000_000_000n;
/** The interval of checks for transactions that wait for a block. */
const PUMP_MS = 5;

/** The product's adapter on a simulated node, without a network unless a test puts something in between. */
class SimBench extends ChainBench<PlayWish> implements PlayBench {
  readonly #sim: SimEvm;
  readonly #front: Front;

  constructor(sim: SimEvm, front: Front) {
    super();
    this.#sim = sim;
    this.#front = front;
  }

  play(wish: PlayWish = {}): Chain {
    return this.chain(wish);
  }

  protected override make(wish: PlayWish, timing: Partial<ChainTiming>, deps: SharedDeps): Chain {
    const { world, transport } = this.#sim;
    const openRpc: OpenRpc = (options) => (options.url === this.#front.url ? transport : new JsonRpc(options));
    const config = {
      ...world.config,
      rpcUrls: urlsOf(wish, this.#front.url),
      timing: { blockMs: 50, ...timing },
      ...(wish.charges === undefined ? {} : { sizes: { charges: wish.charges } }),
    };
    const signers = world.senderKeys.slice(0, wish.senders ?? 1).map(createLocalSigner);
    return createEvmChain(config, { ...deps, mandates: new MandateReader(deps.records), signers, openRpc });
  }
}

export async function simEvmPlayground(decimals = 6): Promise<Playground> {
  const sim = await SimEvm.open({
    now: Date.now,
    random: Math.random,
    blockMs: 50,
    tokens: [
      { ticker: 'USDC', decimals },
      { ticker: 'USDT', decimals: 6 },
    ],
  });
  const { world } = sim;
  const { chainId, router } = world;
  const usdc = world.tokens[0].address;
  const front = await openFront((method, params) => sim.ask(method, params));
  let pump = startPump(sim);
  /** In a block when it returns. */
  const mined = async (hash: string): Promise<void> => {
    await sim.mine();
    const receipt = await sim.ask('eth_getTransactionReceipt', [hash]);
    if (!JSON.stringify(receipt).includes('"status":"0x1"')) throw new Error(`transaction ${hash} reverted`);
  };
  const operators = ['mrc_a', 'mrc_b'].map((id) => operatorAddress(router, id, 'test'));
  return {
    chainId,
    rpcUrl: front.url,
    token: usdc,
    merchant: MERCHANT,
    platform: PLATFORM,
    bench: () => new SimBench(sim, front),
    async payer(merchantId, { balance = MILLION, allowance = UNLIMITED } = {}) {
      const wallet = sim.stranger();
      if (balance > 0n) await mined(sim.mint(wallet, balance));
      if (allowance > 0n) await mined(sim.approve(wallet, { merchantId, isBounded: false }, allowance));
      return wallet;
    },
    stranger: () => sim.stranger(),
    approve: async (wallet, merchantId, amount) => mined(sim.approve(wallet, { merchantId, isBounded: false }, amount)),
    mint: async (wallet, amount) => mined(sim.mint(wallet, amount)),
    spend: async (wallet, amount) => mined(sim.transfer(wallet, world.owner, amount)),
    send: async (wallet, to, amount) => mined(sim.transfer(wallet, to, amount)),
    freeze: async (wallet) => mined(sim.freeze(wallet, true)),
    refuse: async (wallet) => mined(sim.refuse(wallet, true)),
    charge: (wish) => waitingCharge({ chainId, usdc }, wish),
    balanceOf: async (wallet) => sim.balanceOf(wallet),
    async pulls(wallet) {
      const takers = new Set([router, operatorAddress(router, 'mrc_a', 'test')]);
      return sim.transfers().filter(({ from, to }) => from === wallet && takers.has(to));
    },
    movements: async () => movementsOf(sim.transfers()),
    passers: [router, ...operators],
    async hold(on) {
      clearInterval(pump);
      if (!on) pump = startPump(sim);
    },
    async finalize() {
      for (let block = 0; block < 3; block += 1) await sim.mine();
    },
    async impoverish() {
      const sender = world.senders[0] ?? '';
      const full = sim.gasOf(sender);
      sim.setGas(sender, 1n);
      return async () => sim.setGas(sender, full);
    },
    isBroadcast: ({ method }) => method === 'eth_sendRawTransaction',
    comparable: (wallet) => wallet.toLowerCase(),
    async stop() {
      clearInterval(pump);
      await front.stop();
    },
  };
}

function startPump(sim: SimEvm): NodeJS.Timeout {
  return setInterval(() => {
    if (sim.pool().length > 0) void sim.mine();
  }, PUMP_MS);
}

function movementsOf(transfers: readonly SimTransfer[]): Map<string, Map<string, bigint>> {
  const moved = new Map<string, Map<string, bigint>>();
  for (const { from, to, amount, txHash } of transfers) {
    note(moved, txHash, from, -amount);
    note(moved, txHash, to, amount);
  }
  return moved;
}
