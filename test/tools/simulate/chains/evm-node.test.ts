import { id } from 'ethers';
import { z } from 'zod';
import { RpcFault } from '../../../../devnet/solana/rpc-fault.ts';
import { encodeChargeMany, merchantSalt } from '../../../../src/chains/evm/contracts/router.ts';
import { SimEvm } from '../../../../tools/simulate/evm/node.ts';

const GWEI = 1_000_000_000n;
const NOW = 1_800_000_000_000;
const SPENDER = { merchantId: 'mrc_a', isBounded: false };
const MERCHANT = `0x${'a1'.repeat(20)}`;

interface Draft {
  readonly nonce: number;
  readonly sender?: number;
  /** The names of keys, each charged for 10. */
  readonly keys?: readonly string[];
  readonly gasLimit?: bigint;
  readonly maxFee?: bigint;
  readonly tip?: bigint;
  readonly chainId?: number;
}

/** A chain with one payer, and a signer of its charges. */
class Bench {
  readonly sim: SimEvm;
  readonly payer: string;

  private constructor(sim: SimEvm) {
    this.sim = sim;
    this.payer = sim.stranger();
  }

  static async open(): Promise<Bench> {
    const bench = new Bench(await SimEvm.open({ now: () => NOW, random: () => 0.5 }));
    const { sim, payer } = bench;
    sim.mint(payer, 1_000n);
    sim.approve(payer, SPENDER, 1_000n);
    await sim.chain.mine();
    return bench;
  }

  data(keys: readonly string[]): string {
    const token = this.sim.world.tokens[0].address;
    const merchant = merchantSalt('mrc_a', 'test');
    const shares = { gross: 10n, to: [MERCHANT], amounts: [10n] };
    return encodeChargeMany(keys.map((key) => ({ key: id(key), merchant, token, from: this.payer, ...shares })));
  }

  sign({ nonce, sender = 0, keys = [String(nonce)], ...draft }: Draft): Promise<string> {
    const { chainId = 31_337, gasLimit = 1_000_000n, maxFee = 10n * GWEI, tip = GWEI } = draft;
    const signer = this.sim.world.signers[sender];
    if (!signer) throw new Error('no signer');
    const fees = { maxFeePerGas: maxFee, maxPriorityFeePerGas: tip };
    const call = { to: this.sim.world.router, data: this.data(keys), value: 0n };
    return signer.signTransaction({ type: 2, chainId, nonce, gasLimit, ...fees, ...call });
  }

  /** The transaction's hash, or the node's refusal. */
  async send(draft: Draft): Promise<string> {
    return this.sendRaw(await this.sign(draft));
  }

  async sendRaw(raw: string): Promise<string> {
    try {
      return String(await this.sim.ask('eth_sendRawTransaction', [raw]));
    } catch (error) {
      if (error instanceof RpcFault) return error.message;
      throw error;
    }
  }

  async receipt(hash: string) {
    return receiptSchema.nullable().parse(await this.sim.ask('eth_getTransactionReceipt', [hash]));
  }

  receipts(hashes: readonly string[]) {
    return Promise.all(hashes.map((hash) => this.receipt(hash)));
  }

  /** `0x1` or `0x0`; null: in no block. */
  async statuses(...hashes: readonly string[]): Promise<(string | null)[]> {
    return (await this.receipts(hashes)).map((receipt) => receipt?.status ?? null);
  }

  async count(tag: string, sender = 0): Promise<number> {
    return Number(await this.sim.ask('eth_getTransactionCount', [this.sim.world.senders[sender], tag]));
  }

  keys(): string[] {
    return this.sim.charges().map(({ key }) => key);
  }
}

const receiptSchema = z.object({
  status: z.string(),
  blockNumber: z.string(),
  blockHash: z.string(),
  gasUsed: z.string(),
  effectiveGasPrice: z.string(),
});

const HASH = /^0x[0-9a-f]{64}$/;

describe('the pool of a simulated node', () => {
  it('keeps a transaction behind a gap until that is filled, and then takes both', async () => {
    const bench = await Bench.open();
    const second = await bench.send({ nonce: 1 });
    await bench.sim.chain.mine();
    expect(await bench.receipt(second)).toBeNull();
    expect(await bench.count('pending')).toBe(0);
    const first = await bench.send({ nonce: 0 });
    expect(await bench.count('pending')).toBe(2);
    await bench.sim.chain.mine();
    expect(await bench.statuses(first, second)).toEqual(['0x1', '0x1']);
    expect(await bench.count('latest')).toBe(2);
    expect(bench.sim.chain.pool.hashes).toEqual([]);
    expect(bench.keys()).toEqual([id('0'), id('1')]);
  });

  it('recognises known transactions, and those in a block', async () => {
    const bench = await Bench.open();
    const raw = await bench.sign({ nonce: 0 });
    expect(await bench.sendRaw(raw)).toMatch(HASH);
    expect(await bench.sendRaw(raw)).toBe('already known');
    await bench.sim.chain.mine();
    expect(await bench.sendRaw(raw)).toContain('nonce too low');
  });

  it('replaces a transaction only if both fields rise by a tenth', async () => {
    const bench = await Bench.open();
    const old = await bench.send({ nonce: 0 });
    const underpriced = 'replacement transaction underpriced';
    expect(await bench.send({ nonce: 0, maxFee: 11n * GWEI })).toBe(underpriced);
    expect(await bench.send({ nonce: 0, maxFee: 11n * GWEI - 1n, tip: 2n * GWEI })).toBe(underpriced);
    const replacement = await bench.send({ nonce: 0, maxFee: 11n * GWEI, tip: (11n * GWEI) / 10n });
    expect(bench.sim.chain.pool.hashes).toEqual([replacement]);
    expect(await bench.sim.ask('eth_getTransactionByHash', [old])).toBeNull();
    await bench.sim.chain.mine();
    expect(await bench.statuses(old, replacement)).toEqual([null, '0x1']);
  });

  it('refuses unpayable transactions, those of another chain, and those with too little gas to start', async () => {
    const bench = await Bench.open();
    expect(await bench.send({ nonce: 0, maxFee: 10n ** 18n })).toContain('insufficient funds for gas');
    expect(await bench.send({ nonce: 0, chainId: 1 })).toContain('invalid chain id');
    expect(await bench.send({ nonce: 0, gasLimit: 21_000n })).toContain('intrinsic gas too low');
    expect(await bench.sendRaw('0x1234')).toContain('decode');
    expect(bench.sim.chain.pool.hashes).toEqual([]);
  });

  it('keeps a transaction below the base fee until that is lower', async () => {
    const bench = await Bench.open();
    const hash = await bench.send({ nonce: 0, maxFee: 2n * GWEI, tip: 1n });
    bench.sim.chain.nextBaseFee = 3n * GWEI;
    await bench.sim.chain.mine();
    expect(await bench.receipt(hash)).toBeNull();
    for (let block = 0; block < 4; block += 1) await bench.sim.chain.mine();
    expect(await bench.statuses(hash)).toEqual(['0x1']);
  });

  it('forgets a dropped transaction, and accepts it again', async () => {
    const bench = await Bench.open();
    const raw = await bench.sign({ nonce: 0 });
    const hash = await bench.sendRaw(raw);
    expect([bench.sim.chain.pool.remove(hash), bench.sim.chain.pool.remove(hash)]).toEqual([true, false]);
    await bench.sim.chain.mine();
    expect(await bench.receipt(hash)).toBeNull();
    expect(await bench.sim.ask('eth_getTransactionByHash', [hash])).toBeNull();
    expect(await bench.sendRaw(raw)).toBe(hash);
    await bench.sim.chain.mine();
    expect(await bench.statuses(hash)).toEqual(['0x1']);
  });

  it('takes the highest tip first, and no more than its limit', async () => {
    const bench = await Bench.open();
    await bench.send({ nonce: 0, keys: ['less'] });
    await bench.send({ nonce: 0, sender: 1, keys: ['more'], tip: 2n * GWEI });
    await bench.sim.chain.mine(1);
    expect(bench.keys()).toEqual([id('more')]);
    await bench.sim.chain.mine();
    expect(bench.keys()).toEqual([id('more'), id('less')]);
  });
});

describe('a transaction on a simulated chain', () => {
  it('costs its used gas, also for the part that reverts', async () => {
    const bench = await Bench.open();
    const sender = (bench.sim.world.senders[0] ?? '').toLowerCase();
    const before = bench.sim.chain.account(sender).wei;
    const made = await bench.send({ nonce: 0 });
    const reverted = await bench.send({ nonce: 1, gasLimit: 200_000n });
    await bench.sim.chain.mine();
    const receipts = await bench.receipts([made, reverted]);
    expect(receipts.map((receipt) => receipt?.status)).toEqual(['0x1', '0x0']);
    const paid = receipts.map((each) => BigInt(each?.gasUsed ?? 0) * BigInt(each?.effectiveGasPrice ?? 0));
    expect(bench.sim.chain.account(sender).wei).toBe(before - (paid[0] ?? 0n) - (paid[1] ?? 0n));
    expect(bench.keys()).toEqual([id('0')]);
  });
});

describe('a reorganisation of a simulated chain', () => {
  async function landed(): Promise<{ bench: Bench; hashes: string[] }> {
    const bench = await Bench.open();
    const hashes: string[] = [];
    for (const draft of [{ nonce: 0 }, { nonce: 1 }, { nonce: 0, sender: 1, keys: ['other'] }]) {
      hashes.push(await bench.send(draft));
      await bench.sim.chain.mine();
    }
    return { bench, hashes };
  }

  async function blocksOf(bench: Bench, hashes: readonly string[]): Promise<(number | null)[]> {
    return (await bench.receipts(hashes)).map((receipt) => receipt && Number(receipt.blockNumber));
  }

  it.each([
    ['again', [2, 3, 4], 970n],
    ['reordered', [2, 3, 3], 970n],
    ['later', [2, null, null], 990n],
    ['never', [2, null, null], 990n],
  ] as const)('replaces the newest two blocks and mines their transactions %s', async (how, blocks, left) => {
    const { bench, hashes } = await landed();
    const before = await bench.receipts(hashes);
    await bench.sim.chain.reorg(2, how);
    expect(bench.sim.chain.head.number).toBe(4);
    expect(await blocksOf(bench, hashes)).toEqual(blocks);
    expect(bench.sim.balanceOf(bench.payer)).toBe(left);
    const after = await bench.receipts(hashes);
    expect(after[0]?.blockHash).toBe(before[0]?.blockHash);
    expect(after[1]?.blockHash).not.toBe(before[1]?.blockHash);
    expect(await bench.count('latest')).toBe(left === 970n ? 2 : 1);
    expect(bench.sim.transfers().filter(({ from }) => from === bench.payer)).toHaveLength(left === 970n ? 3 : 1);
    await bench.sim.chain.mine();
    expect(bench.sim.balanceOf(bench.payer)).toBe(how === 'never' ? 990n : 970n);
    expect(bench.sim.chain.pool.hashes).toEqual([]);
  });

  it('keeps earlier blocks readable, and shows nothing of the reorged ones', async () => {
    const { bench, hashes } = await landed();
    await bench.sim.chain.reorg(1, 'never');
    expect(await bench.count('0x2')).toBe(1);
    expect(await bench.count('0x1')).toBe(0);
    expect(bench.keys()).toEqual([id('0'), id('1')]);
    expect(await bench.sim.ask('eth_getTransactionByHash', [hashes[2]])).toBeNull();
    expect(await bench.count('latest', 1)).toBe(0);
  });

  it("never replaces the first block, and wallets' own transactions come again", async () => {
    const bench = await Bench.open();
    await bench.sim.chain.reorg(9, 'never');
    expect([bench.sim.chain.head.number, bench.sim.balanceOf(bench.payer)]).toEqual([1, 0n]);
    await bench.sim.chain.mine();
    expect(bench.sim.balanceOf(bench.payer)).toBe(1_000n);
  });
});
