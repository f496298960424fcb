import { setTimeout as delay } from 'node:timers/promises';
import { getAddress, getCreateAddress, type Interface, isError, toQuantity, Wallet, ZeroAddress } from 'ethers';
import { z } from 'zod';
import type { ChainReader } from '../../../src/chains/chain-reader.ts';
import { type ChargeLog, parseChargeLogs } from '../../../src/chains/evm/contracts/charge-logs.ts';
import { decodeReason, type Reason } from '../../../src/chains/evm/contracts/reasons.ts';
import { deployRouterData, operatorAddress, routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { deployTestTokenData, testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { evmChainReader } from '../../../src/chains/evm/reader/chain-reader.ts';
import { JsonRpc } from '../../../src/chains/rpc.ts';
import { readTransfers } from '../../../stage/erc20.ts';
import { type Anvil, type AnvilOptions, startAnvil } from '../../support/anvil.ts';
import { type ChainWorld, type Grant, MILLION, note, type Pull } from '../support/world.ts';

export interface Transfer extends Pull {
  readonly from: string;
  readonly to: string;
}

interface EvmGrant extends Grant {
  readonly token?: string;
  /** The operator's; absent: the world's first. */
  readonly router?: string;
}

export const UNLIMITED = 2n ** 256n - 1n;

export interface WorldOptions extends Pick<AnvilOptions, 'epoch'> {
  /** Seconds for which an announced payee waits; 0 by default. */
  readonly payeeDelay?: number;
  /** The decimals of the first token. */
  readonly decimals?: number;
}

/** The result of a transaction. */
export interface Sent {
  readonly ok: boolean;
  readonly gasUsed: bigint;
  readonly logs: z.infer<typeof receiptSchema>['logs'];
  /** The router's charges in this transaction's logs. */
  readonly charges: readonly ChargeLog[];
  /** The reason of its revert; null: it did not revert. */
  readonly reason: Reason | null;
}

export interface SendOptions {
  readonly gas?: bigint;
  readonly value?: bigint;
}

export const MERCHANT = getAddress('0x00000000000000000000000000000000000a11ce');
export const PLATFORM = getAddress('0x0000000000000000000000000000000000000b0b');

/** A new address. */
export function freshAddress(): string {
  return Wallet.createRandom().address;
}

/**
 * A separate chain with a router, its owner, two senders and two test tokens. Every address can send, because the node
 * signs for all. A block is made only by an act of the test, and while it pumps.
 */
export class EvmWorld implements ChainWorld {
  readonly chainId = 31_337;
  readonly merchant = MERCHANT;
  readonly platform = PLATFORM;
  readonly owner = freshAddress();
  readonly senderKeys: readonly string[];
  /** The addresses of the two senders. */
  readonly senders: readonly [string, string];
  readonly router = getCreateAddress({ from: this.owner, nonce: 0 });
  readonly token = getCreateAddress({ from: this.owner, nonce: 1 });
  readonly usdt = getCreateAddress({ from: this.owner, nonce: 2 });
  readonly decimals: number;
  readonly #routers: string[] = [];
  readonly #options: WorldOptions;
  #anvil: Anvil | null = null;
  #pumping: AbortController | null = null;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.decimals = options.decimals ?? 6;
    const [one, other] = [Wallet.createRandom(), Wallet.createRandom()];
    this.senderKeys = [one.privateKey, other.privateKey];
    this.senders = [one.address, other.address];
  }

  async start(): Promise<void> {
    this.#anvil = await startAnvil({ automine: false, ...this.#options });
    await this.rpc('anvil_autoImpersonateAccount', [true]);
    for (const sender of this.senders) await this.setGas(sender);
    await this.deployRouter();
    await this.deployToken('USDC', this.decimals);
    await this.deployToken('USDT', 6);
  }

  async stop(): Promise<void> {
    this.hold();
    await this.#anvil?.stop();
  }

  get anvil(): Anvil {
    if (this.#anvil === null) throw new Error('the chain is not started');
    return this.#anvil;
  }

  get passers(): string[] {
    return this.#routers.flatMap((router) => [
      router,
      ...['mrc_a', 'mrc_b'].map((merchantId) => operatorAddress(router, merchantId, 'test')),
    ]);
  }

  get rpcUrl(): string {
    return this.anvil.rpcUrl;
  }

  rpc(method: string, params: readonly unknown[] = []): Promise<unknown> {
    return this.anvil.provider.send(method, [...params]);
  }

  /** Checks every 20 ms and makes a block when something is pending, as the local devnet does. */
  pump(): void {
    if (this.#pumping) return;
    const pumping = new AbortController();
    const { signal } = pumping;
    this.#pumping = pumping;
    const run = async (): Promise<void> => {
      while (!signal.aborted) {
        const { pending } = poolStatus.parse(await this.rpc('txpool_status'));
        if (!signal.aborted && pending > 0) await this.rpc('evm_mine');
        await delay(20);
      }
    };
    // The node is gone when it is stopped in the middle.
    run().catch(() => undefined);
  }

  hold(): void {
    this.#pumping?.abort();
    this.#pumping = null;
  }

  async mine(blocks = 1): Promise<void> {
    if (blocks === 1) await this.rpc('evm_mine');
    else await this.rpc('anvil_mine', [toQuantity(blocks), '0x0']);
  }

  finalize(): Promise<void> {
    return this.mine(3);
  }

  /** The number of the newest block. */
  height(): Promise<number> {
    return this.anvil.provider.getBlockNumber();
  }

  /** Replaces the last blocks by empty ones; the first of them contains `rival`. */
  async reorg(depth: number, rival?: string | object): Promise<void> {
    await this.rpc('anvil_reorg', [depth, rival === undefined ? [] : [[rival, 0]]]);
  }

  /** Sets the base fee of the next block, and makes it. */
  async setBaseFee(wei: bigint): Promise<void> {
    await this.rpc('anvil_setNextBlockBaseFeePerGas', [toQuantity(wei)]);
    await this.mine();
  }

  /** Sets the wallet's balance of the native coin. */
  async setGas(wallet: string, wei = 10n ** 22n): Promise<void> {
    await this.rpc('anvil_setBalance', [wallet, toQuantity(wei)]);
  }

  gasOf(wallet: string): Promise<bigint> {
    return this.anvil.provider.getBalance(wallet);
  }

  /** True if the transaction with this hash is in the node's pool, and in no block. */
  async isPending(hash: string): Promise<boolean> {
    return foundTransaction.parse(await this.rpc('eth_getTransactionByHash', [hash]))?.blockHash === null;
  }

  /** The signed bytes of another transaction of the sender with the same nonce, which moves nothing. */
  rivalOf({ sender, nonce }: { readonly sender: string; readonly nonce: number }): Promise<string> {
    const { chainId } = this;
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
    return this.signerOf(sender).signTransaction({ type: 2, chainId, nonce, to: sender, gasLimit: 21_000n, ...fees });
  }

  signerOf(sender: string): Wallet {
    return new Wallet(this.senderKeys[this.senders.indexOf(sender)] ?? '');
  }

  /** Gives the node signed bytes. */
  broadcast(raw: string | undefined): Promise<unknown> {
    return this.rpc('eth_sendRawTransaction', [raw]);
  }

  /** A call of `to`, or the creation of a contract from `data`, in a block. A revert does not throw. */
  async send(from: string, to: string | null, data: string, options: SendOptions = {}): Promise<Sent> {
    if (!this.senders.includes(from)) await this.setGas(from);
    const { gas = 12_000_000n, value = 0n } = options;
    const request = { from, ...(to === null ? {} : { to }), data, gas: toQuantity(gas), value: toQuantity(value) };
    const hash = await this.rpc('eth_sendTransaction', [request]);
    await this.mine();
    const { status, blockNumber, gasUsed, logs } = receiptSchema.parse(
      await this.rpc('eth_getTransactionReceipt', [hash]),
    );
    const ok = status === '0x1';
    const reason = ok ? null : decodeReason((await this.#tryCall(request, toQuantity(blockNumber - 1))).data);
    return { ok, gasUsed, logs, charges: parseChargeLogs(logs, this.router), reason };
  }

  /** The same, but a revert throws. */
  async act(from: string, to: string | null, data: string, options: SendOptions = {}): Promise<Sent> {
    const sent = await this.send(from, to, data, options);
    if (!sent.ok) throw new Error(`A transaction to ${to} reverted: ${sent.reason?.kind}`);
    return sent;
  }

  /** Reads it as the audit and proofs do. */
  reader(senders: readonly string[] = []): ChainReader {
    return evmChainReader({
      chainId: this.chainId,
      label: 'Test',
      rpc: new JsonRpc({ url: this.rpcUrl, timeoutMs: 2_000, batchMax: 100 }),
      routers: [this.router],
      tokens: [this.token],
      senders,
      confirmations: 1,
    });
  }

  /** A function of the router, by its owner or somebody else. */
  callRouter(name: string, values: readonly unknown[] = [], from = this.owner): Promise<Sent> {
    return this.act(from, this.router, routerInterface.encodeFunctionData(name, values));
  }

  /** A function of a test token. */
  callToken(from: string, name: string, values: readonly unknown[], token = this.token): Promise<Sent> {
    return this.act(from, token, testTokenInterface.encodeFunctionData(name, values));
  }

  /** The result of a call, or its revert data. */
  async call(from: string, to: string, data: string, gas = 12_000_000n): Promise<{ ok: boolean; data: string }> {
    return this.#tryCall({ from, to, data, gas: toQuantity(gas) }, 'latest');
  }

  /** The result of a view. */
  async read(to: string, abi: Interface, name: string, values: readonly unknown[] = []): Promise<unknown> {
    const { data } = await this.call(this.owner, to, abi.encodeFunctionData(name, values));
    return abi.decodeFunctionResult(name, data)[0];
  }

  /** The owner creates a contract. Resolves with its address. */
  async deploy(data: string): Promise<string> {
    const nonce = await this.anvil.provider.getTransactionCount(this.owner);
    await this.act(this.owner, null, data);
    return getCreateAddress({ from: this.owner, nonce });
  }

  deployToken(symbol: string, decimals: number): Promise<string> {
    return this.deploy(deployTestTokenData({ name: `Test ${symbol}`, symbol, decimals, owner: this.owner }));
  }

  /** One more router, with the same owner and senders. */
  async deployRouter(): Promise<string> {
    const data = deployRouterData(this.owner, this.senders, this.#options.payeeDelay ?? 0);
    const router = await this.deploy(data);
    this.#routers.push(router);
    return router;
  }

  stranger(): string {
    return freshAddress();
  }

  async payer(merchantId: string, grant: EvmGrant = {}): Promise<string> {
    const { balance = MILLION, allowance = UNLIMITED, token, router } = grant;
    const wallet = freshAddress();
    await this.setGas(wallet);
    if (balance > 0n) await this.mint(wallet, balance, token);
    if (allowance > 0n) await this.approve(wallet, merchantId, allowance, token, router);
    return wallet;
  }

  async approve(wallet: string, merchantId: string, amount: bigint, token = this.token, router = this.router) {
    await this.approveOperator(wallet, operatorAddress(router, merchantId, 'test'), amount, token);
  }

  async approveOperator(wallet: string, operator: string, amount: bigint, token = this.token): Promise<void> {
    await this.callToken(wallet, 'approve', [operator, amount], token);
  }

  async mint(wallet: string, amount: bigint, token = this.token): Promise<void> {
    await this.callToken(this.owner, 'mint', [wallet, amount], token);
  }

  async transfer(wallet: string, to: string, amount: bigint): Promise<void> {
    await this.callToken(wallet, 'transfer', [to, amount]);
  }

  async freeze(wallet: string, isFrozen = true): Promise<void> {
    await this.callToken(this.owner, 'setFrozen', [wallet, isFrozen]);
  }

  async refuse(wallet: string, isRefusing = true): Promise<void> {
    await this.callToken(this.owner, 'setRefusing', [wallet, isRefusing]);
  }

  async balanceOf(wallet: string, token = this.token): Promise<bigint> {
    return z.bigint().parse(await this.read(token, testTokenInterface, 'balanceOf', [wallet]));
  }

  async allowance(owner: string, spender: string, token = this.token): Promise<bigint> {
    return z.bigint().parse(await this.read(token, testTokenInterface, 'allowance', [owner, spender]));
  }

  async pulls(wallet: string): Promise<Transfer[]> {
    return (await this.transfers()).filter(({ from, to }) => from === wallet && this.passers.includes(to));
  }

  async movements() {
    const moved = new Map<string, Map<string, bigint>>();
    for (const { from, to, amount, txHash } of await this.transfers()) {
      note(moved, txHash, from, -amount);
      note(moved, txHash, to, amount);
    }
    return moved;
  }

  /** All transfers of a token but the minted ones, oldest first; they judge every test. */
  async transfers(token = this.token): Promise<Transfer[]> {
    const all = await readTransfers(this.anvil.provider, token, [0, 'latest']);
    return all
      .filter(({ from }) => from !== ZeroAddress)
      .map(({ from, to, value, txHash }) => ({ from, to, amount: value, txHash }));
  }

  /** All transfers from a wallet. */
  async movedFrom(wallet: string): Promise<Transfer[]> {
    return (await this.transfers()).filter(({ from }) => from === wallet);
  }

  async impoverish(): Promise<() => Promise<void>> {
    const [sender = ''] = this.senders;
    const full = await this.gasOf(sender);
    await this.setGas(sender, 1n);
    return () => this.setGas(sender, full);
  }

  comparable(wallet: string): string {
    return wallet.toLowerCase();
  }

  async #tryCall(request: object, block: string): Promise<{ ok: boolean; data: string }> {
    try {
      return { ok: true, data: z.string().parse(await this.rpc('eth_call', [request, block])) };
    } catch (error) {
      if (!isError(error, 'CALL_EXCEPTION')) throw error;
      return { ok: false, data: error.data ?? '0x' };
    }
  }
}

const receiptSchema = z.object({
  status: z.string(),
  blockNumber: z.string().transform(Number),
  gasUsed: z.string().transform(BigInt),
  logs: z.array(z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() })),
});

const foundTransaction = z.object({ blockHash: z.string().nullable() }).nullable();

const poolStatus = z.object({ pending: z.coerce.number() });

/** A started world, for tests of other folders. */
export async function startWorld(options: WorldOptions = {}): Promise<EvmWorld> {
  const world = new EvmWorld(options);
  await world.start();
  return world;
}
