import { AbiCoder, concat, getAddress, hexlify, Interface, isError, randomBytes, toQuantity } from 'ethers';
import { z } from 'zod';
import { type ChargeLog, parseChargeLogs } from '../../../src/chains/evm/contracts/charge-logs.ts';
import { decodeReason, type Reason } from '../../../src/chains/evm/contracts/reasons.ts';
import {
  deployRouterData,
  encodeChargeMany,
  merchantSalt,
  operatorAddress,
  type RouterCharge,
} from '../../../src/chains/evm/contracts/router.ts';
import { deployTestTokenData, testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { type Anvil, startAnvil } from '../../support/anvil.ts';
import { encodeCharge } from './encode-charge.ts';
import { type TestContract, testArtifacts } from './test-artifacts.ts';

const receiptSchema = z.object({
  status: z.string(),
  blockNumber: z.string(),
  gasUsed: z.string().transform(BigInt),
  contractAddress: z.string().nullable(),
  logs: z.array(z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() })),
});

export type Sent = {
  readonly ok: boolean;
  readonly gasUsed: bigint;
  readonly logs: z.infer<typeof receiptSchema>['logs'];
  /** The router's charges in this transaction's logs. */
  readonly charges: readonly ChargeLog[];
  /** The reason of its revert; null: it did not revert. */
  readonly reason: Reason | null;
  readonly contractAddress: string | null;
};

type Options = { readonly gas?: bigint; readonly value?: bigint };

/** A new address. */
export function freshAddress(): string {
  return getAddress(hexlify(randomBytes(20)));
}

/** 32 new random bytes. */
export function freshKey(): string {
  return hexlify(randomBytes(32));
}

/** A chain with a router, an owner, two senders, and a sound token. Every address can send (anvil impersonates all). */
export class World {
  readonly anvil: Anvil;
  readonly owner = freshAddress();
  readonly sender = freshAddress();
  readonly otherSender = freshAddress();
  router = '';
  token = '';

  private constructor(anvil: Anvil) {
    this.anvil = anvil;
  }

  static async start(): Promise<World> {
    const world = new World(await startAnvil({ args: ['--auto-impersonate'] }));
    const { owner, sender, otherSender } = world;
    world.router = await world.deploy(deployRouterData(owner, [sender, otherSender]));
    world.token = await world.deployToken('Test USD', 'TUSD', 6);
    return world;
  }

  async stop(): Promise<void> {
    await this.anvil.stop();
  }

  /** Sends a transaction with a generous gas limit and returns its result. A revert does not throw. */
  async send(from: string, to: string | null, data: string, options: Options = {}): Promise<Sent> {
    await this.rpc('anvil_setBalance', [from, toQuantity(10n ** 21n)]);
    const gas = toQuantity(options.gas ?? 12_000_000n);
    const value = toQuantity(options.value ?? 0n);
    const request = to === null ? { from, data, gas, value } : { from, to, data, gas, value };
    const hash = await this.rpc('eth_sendTransaction', [request]);
    const receipt = await this.receipt(hash);
    const ok = receipt.status === '0x1';
    const before = toQuantity(Number(receipt.blockNumber) - 1);
    return {
      ok,
      gasUsed: receipt.gasUsed,
      logs: receipt.logs,
      charges: this.router === '' ? [] : parseChargeLogs(receipt.logs, this.router),
      reason: ok ? null : decodeReason((await this.tryCall(request, before)).data),
      contractAddress: receipt.contractAddress,
    };
  }

  /** Like `send`, but throws after a revert. */
  async must(from: string, to: string | null, data: string, options: Options = {}): Promise<Sent> {
    const sent = await this.send(from, to, data, options);
    if (!sent.ok) throw new Error(`A transaction to ${to} reverted: ${JSON.stringify(sent.reason, bigintText)}`);
    return sent;
  }

  /** The result of a call, or its revert data. */
  async call(from: string, to: string, data: string, gas = 12_000_000n): Promise<{ ok: boolean; data: string }> {
    return this.tryCall({ from, to, data, gas: toQuantity(gas) }, 'latest');
  }

  async deploy(data: string): Promise<string> {
    const { contractAddress } = await this.must(this.owner, null, data);
    if (contractAddress === null) throw new Error('A transaction that deploys made no contract');
    return getAddress(contractAddress);
  }

  async deployToken(name: string, symbol: string, decimals: number): Promise<string> {
    return this.deploy(deployTestTokenData({ name, symbol, decimals, owner: this.owner }));
  }

  /** Deploys one of the tokens of `solidity/`. Returns its address and its ABI. */
  async deployTest(name: TestContract): Promise<{ address: string; abi: Interface }> {
    const artifact = (await testArtifacts())[name];
    return { address: await this.deploy(`0x${artifact.bytecode.slice(2)}`), abi: new Interface(artifact.abi) };
  }

  /**
   * A payer (a new one by default) with a balance who approves the merchant's operator; every token here can be minted.
   */
  async payer(options: {
    merchant?: string;
    token?: string;
    balance?: bigint;
    allowance?: bigint;
    address?: string;
  }): Promise<string> {
    const { merchant = 'm1', token = this.token, balance = 1_000_000n, allowance = balance } = options;
    const payer = options.address ?? freshAddress();
    await this.mint(payer, balance, token);
    await this.approve(payer, operatorAddress(this.router, merchant, 'test'), allowance, token);
    return payer;
  }

  async approve(payer: string, spender: string, amount: bigint, token = this.token): Promise<void> {
    await this.must(payer, token, testTokenInterface.encodeFunctionData('approve', [spender, amount]));
  }

  async mint(to: string, amount: bigint, token = this.token): Promise<void> {
    await this.must(this.owner, token, testTokenInterface.encodeFunctionData('mint', [to, amount]));
  }

  /** A charge of 1000 in three shares to new addresses, with a new key; `merchant` is an id. */
  newCharge(from: string, rest: Partial<Omit<RouterCharge, 'merchant'>> & { merchant?: string } = {}): RouterCharge {
    const { merchant = 'm1', ...fields } = rest;
    return {
      key: freshKey(),
      token: this.token,
      from,
      gross: 1000n,
      to: [freshAddress(), freshAddress(), freshAddress()],
      amounts: [900n, 90n, 10n],
      ...fields,
      merchant: merchantSalt(merchant, 'test'),
    };
  }

  async charge(charge: RouterCharge, options: Options & { from?: string } = {}): Promise<Sent> {
    return this.send(options.from ?? this.sender, this.router, encodeCharge(charge), options);
  }

  async chargeMany(charges: readonly RouterCharge[], options: Options & { from?: string } = {}): Promise<Sent> {
    return this.send(options.from ?? this.sender, this.router, encodeChargeMany(charges), options);
  }

  async balance(account: string, token = this.token): Promise<bigint> {
    return this.readNumber(token, testTokenInterface.encodeFunctionData('balanceOf', [account]));
  }

  async allowance(owner: string, spender: string, token = this.token): Promise<bigint> {
    return this.readNumber(token, testTokenInterface.encodeFunctionData('allowance', [owner, spender]));
  }

  async readNumber(to: string, data: string): Promise<bigint> {
    const result = await this.anvil.provider.call({ to, data });
    return z.bigint().parse(AbiCoder.defaultAbiCoder().decode(['uint256'], result)[0]);
  }

  async code(address: string): Promise<string> {
    return this.anvil.provider.getCode(address);
  }

  async rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.anvil.provider.send(method, [...params]);
  }

  /** Under automine the receipt follows the hash after some milliseconds. */
  private async receipt(hash: unknown): Promise<z.infer<typeof receiptSchema>> {
    for (;;) {
      const receipt = await this.rpc('eth_getTransactionReceipt', [hash]);
      if (receipt !== null) return receiptSchema.parse(receipt);
    }
  }

  private async tryCall(request: object, block: string): Promise<{ ok: boolean; data: string }> {
    try {
      return { ok: true, data: z.string().parse(await this.rpc('eth_call', [request, block])) };
    } catch (error) {
      if (!isError(error, 'CALL_EXCEPTION')) throw error;
      return { ok: false, data: error.data ?? '0x' };
    }
  }
}

/** The number of `token`'s Transfer logs from `from` (topic 1). */
export function transfersFrom(sent: Sent, token: string, from: string): number {
  const topic = testTokenInterface.getEvent('Transfer')?.topicHash;
  const word = concat([`0x${'00'.repeat(12)}`, from]).toLowerCase();
  return sent.logs.filter(
    (log) => getAddress(log.address) === token && log.topics[0] === topic && log.topics[1] === word,
  ).length;
}

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
