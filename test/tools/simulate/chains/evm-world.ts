import { createEvmChain } from '../../../../src/chains/evm/chain.ts';
import { operatorAddress } from '../../../../src/chains/evm/contracts/router.ts';
import { createLocalSigner } from '../../../../src/chains/evm/signer.ts';
import { MandateReader } from '../../../../src/chains/mandate-reader.ts';
import type { Chain } from '../../../../src/chains/port.ts';
import { JsonRpc, type OpenRpc } from '../../../../src/chains/rpc.ts';
import { SimEvm } from '../../../../tools/simulate/evm/node.ts';
import { MERCHANT, PLATFORM, UNLIMITED } from '../../../chains/evm/world.ts';
import { ChainBench, type SharedConfig, type SharedDeps, type SharedWish } from '../../../chains/support/bench.ts';
import { type JsonRpcNode, startJsonRpcNode } from '../../../chains/support/json-rpc-node.ts';
import { type ChainWorld, type Grant, MILLION, note, type Pull } from '../../../chains/support/world.ts';

/** The interval of checks for transactions that wait for a block. */
const PUMP_MS = 5;

/** A simulated node, and a port in front of it for proxies. */
class SimEvmWorld implements ChainWorld {
  readonly merchant = MERCHANT;
  readonly platform = PLATFORM;
  #opened: { readonly sim: SimEvm; readonly port: JsonRpcNode } | null = null;
  #pump: NodeJS.Timeout | null = null;

  async start(): Promise<void> {
    const tokens = ['USDC', 'USDT'].map((ticker) => ({ ticker, decimals: 6 }));
    const sim = await SimEvm.open({ now: Date.now, random: Math.random, blockMs: 50, tokens });
    this.#opened = { sim, port: await startJsonRpcNode((method, params) => sim.ask(method, params)) };
  }

  async stop(): Promise<void> {
    this.hold();
    await this.#opened?.port.stop();
  }

  get sim(): SimEvm {
    return this.#running.sim;
  }

  get rpcUrl(): string {
    return this.#running.port.url;
  }

  get chainId(): number {
    return this.sim.world.chainId;
  }

  get router(): string {
    return this.sim.world.router;
  }

  get token(): string {
    return this.sim.world.tokens[0].address;
  }

  get passers(): string[] {
    const { router } = this;
    return [router, ...['mrc_a', 'mrc_b'].map((id) => operatorAddress(router, id, 'test'))];
  }

  get #running() {
    if (this.#opened === null) throw new Error('the chain is not started');
    return this.#opened;
  }

  async payer(merchantId: string, { balance = MILLION, allowance = UNLIMITED }: Grant = {}): Promise<string> {
    const wallet = this.stranger();
    if (balance > 0n) await this.mint(wallet, balance);
    if (allowance > 0n) await this.approve(wallet, merchantId, allowance);
    return wallet;
  }

  stranger(): string {
    return this.sim.stranger();
  }

  approve(wallet: string, merchantId: string, amount: bigint): Promise<void> {
    return this.#mined(this.sim.approve(wallet, { merchantId, isBounded: false }, amount));
  }

  mint(wallet: string, amount: bigint): Promise<void> {
    return this.#mined(this.sim.mint(wallet, amount));
  }

  transfer(wallet: string, to: string, amount: bigint): Promise<void> {
    return this.#mined(this.sim.transfer(wallet, to, amount));
  }

  freeze(wallet: string): Promise<void> {
    return this.#mined(this.sim.freeze(wallet, true));
  }

  refuse(wallet: string): Promise<void> {
    return this.#mined(this.sim.refuse(wallet, true));
  }

  async balanceOf(wallet: string): Promise<bigint> {
    return this.sim.balanceOf(wallet);
  }

  async pulls(wallet: string): Promise<Pull[]> {
    return this.sim.transfers().filter(({ from, to }) => from === wallet && this.passers.includes(to));
  }

  async movements() {
    const moved = new Map<string, Map<string, bigint>>();
    for (const { from, to, amount, txHash } of this.sim.transfers()) {
      note(moved, txHash, from, -amount);
      note(moved, txHash, to, amount);
    }
    return moved;
  }

  pump(): void {
    this.#pump ??= setInterval(() => {
      if (this.sim.pool().length > 0) void this.sim.mine();
    }, PUMP_MS);
  }

  hold(): void {
    if (this.#pump !== null) clearInterval(this.#pump);
    this.#pump = null;
  }

  async finalize(): Promise<void> {
    for (let block = 0; block < 3; block += 1) await this.sim.mine();
  }

  async impoverish(): Promise<() => Promise<void>> {
    const sender = this.sim.world.senders[0] ?? '';
    const full = this.sim.gasOf(sender);
    this.sim.setGas(sender, 1n);
    return async () => this.sim.setGas(sender, full);
  }

  comparable(wallet: string): string {
    return wallet.toLowerCase();
  }

  /** In a block when it resolves. */
  async #mined(hash: string): Promise<void> {
    await this.sim.mine();
    const receipt = await this.sim.ask('eth_getTransactionReceipt', [hash]);
    if (!JSON.stringify(receipt).includes('"status":"0x1"')) throw new Error(`transaction ${hash} reverted`);
  }
}

/** The product's adapter on a simulated node, without a network unless a test puts something in between. */
export class SimEvmBench extends ChainBench {
  readonly world = new SimEvmWorld();

  protected override make(wish: SharedWish, config: SharedConfig, deps: SharedDeps): Chain {
    const { sim, rpcUrl } = this.world;
    const openRpc: OpenRpc = (options) => (options.url === rpcUrl ? sim.transport : new JsonRpc(options));
    const signers = sim.world.senderKeys.slice(0, wish.senders ?? 1).map(createLocalSigner);
    return createEvmChain(
      { ...sim.world.config, ...config, timing: { blockMs: 50, ...config.timing } },
      { ...deps, mandates: new MandateReader(deps.records), signers, openRpc },
    );
  }
}
