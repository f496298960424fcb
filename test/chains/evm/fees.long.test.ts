import { Transaction, toQuantity } from 'ethers';
import type { ChainFaultPoint } from '../../../src/chains/context.ts';
import { FEE_CAP, type Fees, replacementFees } from '../../../src/chains/evm/fees.ts';
import type { ChargeDoc, SignedVersion } from '../../../src/store/collections.ts';
import type { Leases } from '../../../src/store/leases.ts';
import { Bench, type ChainWish } from './bench.ts';
import { expectPulledOnce } from './once.ts';
import { type Called, type RpcProxy, startProxy } from './proxy.ts';
import { startWorld, type World, waitingCharge } from './world.ts';

const GWEI = 1_000_000_000n;

/** A transaction that is in no block after this time is checked. */
const QUICK = { replaceMs: 120 };

let world: World;
let stopPump: () => void = () => {};
let bench: Bench;
let proxy: RpcProxy | undefined;

beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await bench?.stop();
  await proxy?.stop();
  proxy = undefined;
  stopPump();
  await setBaseFee(GWEI);
});
afterAll(() => world?.stop());

/** Sets the base fee of the next block, and makes it. */
async function setBaseFee(wei: bigint): Promise<void> {
  await world.anvil.provider.send('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
  await world.mine();
}

async function newCharge(): Promise<ChargeDoc> {
  return waitingCharge(world, { from: await world.payer('mrc_a') });
}

function untilVersions(charge: ChargeDoc, count: number): Promise<void> {
  return bench.until(
    `it has ${count} versions`,
    async () => (await bench.transactionOf(charge)).versions.length >= count,
  );
}

/** A charge whose transaction is signed with low fees, and then kept out of blocks by a base fee of 50 gwei. */
async function priced(wish: ChainWish = {}): Promise<ChargeDoc> {
  const charge = await newCharge();
  await bench.chain({ timing: QUICK, ...wish }).start();
  await bench.charge(charge);
  await bench.untilState([charge], 'sent');
  await setBaseFee(50n * GWEI);
  return charge;
}

function feesOf({ maxFeePerGas, maxPriorityFeePerGas }: SignedVersion): Fees {
  return { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
}

function expectEighthMore(old: SignedVersion | undefined, next: SignedVersion | undefined): void {
  if (!old || !next) throw new Error('no version');
  const [before, after] = [feesOf(old), feesOf(next)];
  expect(after.maxFeePerGas * 8n).toBeGreaterThanOrEqual(before.maxFeePerGas * 9n);
  expect(after.maxPriorityFeePerGas * 8n).toBeGreaterThanOrEqual(before.maxPriorityFeePerGas * 9n);
}

/** The signed bytes that these calls send to the node. */
function rawsIn(calls: readonly Called[]): string[] {
  return calls.filter(({ method }) => method === 'eth_sendRawTransaction').map(({ params }) => String(params[0]));
}

describe('the fees of a replacement', () => {
  it.each([
    ['an eighth more than before', { max: 100n, tip: 10n }, { max: 50n, tip: 5n }, { max: 113n, tip: 12n }],
    ['what the market asks for', { max: 100n, tip: 10n }, { max: 900n, tip: 90n }, { max: 900n, tip: 90n }],
    [
      'more in the field that the market has not raised',
      { max: 8n, tip: 0n },
      { max: 99n, tip: 0n },
      { max: 99n, tip: 1n },
    ],
    ['nothing beyond the cap', { max: 400n, tip: 1n }, { max: 100n, tip: 1n }, null],
    ['no tip beyond four times the most of the chain', { max: 99n, tip: 380n }, { max: 9_999n, tip: 100n }, null],
  ])('are %s', (_, old, market, expected) => {
    const fees = replacementFees(
      { maxFeePerGas: old.max, maxPriorityFeePerGas: old.tip },
      { maxFeePerGas: market.max, maxPriorityFeePerGas: market.tip },
      100n,
    );
    expect(fees).toEqual(expected === null ? null : { maxFeePerGas: expected.max, maxPriorityFeePerGas: expected.tip });
  });
});

describe('a transaction whose gas limit is no longer enough', () => {
  /** After its signature, the chain needs this much more gas for every transaction, as Arbitrum did in June 2024. */
  async function dearer(more: bigint) {
    const node = await startProxy(world.anvil.rpcUrl);
    proxy = node;
    const refused = new Set<string>();
    let least = 0n;
    const isShort = ({ method, params }: Called): boolean =>
      method === 'eth_sendRawTransaction' && Transaction.from(String(params[0])).gasLimit < least;
    node.replace = (call) => (isShort(call) ? null : call);
    node.rewriteOne = (answer, call) => {
      if (isShort(call)) {
        refused.add(String(call.params[0]));
        return { id: answer.id, error: { code: -32000, message: 'intrinsic gas too low' } };
      }
      if (call.method !== 'eth_estimateGas' || least === 0n) return answer;
      return { ...answer, result: toQuantity(BigInt(String(answer.result)) + more) };
    };
    bench = new Bench(world);
    const fault = async (point: ChainFaultPoint): Promise<void> => {
      if (point !== 'sender.stored.after' || least > 0n) return;
      const [transaction] = await bench.records.find('transactions', { where: {}, limit: 1 });
      least = Transaction.from(transaction?.versions[0]?.raw).gasLimit + 1n;
    };
    const charge = await newCharge();
    stopPump = world.pump();
    const chain = bench.chain({ rpcUrl: node.url, timing: QUICK, fault });
    await chain.start();
    await bench.charge(charge);
    return { refused, charge, chain };
  }

  it('is replaced at its nonce with the gas that is needed now, and health shows meanwhile why it is refused', async () => {
    let trouble: string | null = null;
    const { refused, charge, chain } = await dearer(3_000_000n);
    await bench.until('it is refused', async () => {
      trouble ??= (await chain.health()).trouble;
      return trouble !== null;
    });
    await bench.untilState([charge], 'final');
    expect(trouble).toMatch(
      /nodes refuse transaction 0x[0-9a-f]{64} of sender 0x\w{40} \(nonce \d+\): .*intrinsic gas too low/,
    );
    expect(trouble).not.toMatch(/replacement would cost more/);
    const { versions, nonce } = await bench.transactionOf(charge);
    const [first, second] = versions.map(({ raw }) => Transaction.from(raw));
    expect(versions).toHaveLength(2);
    expect([first?.nonce, second?.nonce]).toEqual([nonce, nonce]);
    expect(second?.gasLimit).toBeGreaterThan((first?.gasLimit ?? 0n) + 1_000_000n);
    expect(second?.data).toBe(first?.data);
    expect(refused.size).toBe(1);
    await expectPulledOnce(world, charge);
    await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
  });
});

describe('a transaction that is larger than nodes accept', () => {
  const newCharges = (): Promise<ChargeDoc[]> => Promise.all(Array.from({ length: 10 }, newCharge));

  it.each([
    ['of more gas than one may have', (signed: Transaction) => signed.gasLimit, 'transaction gas limit too high'],
    [
      'that may cost more than nodes allow',
      ({ gasLimit, maxFeePerGas }: Transaction) => gasLimit * (maxFeePerGas ?? 0n),
      'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)',
    ],
  ])('gives its nonce back, and its charges go into smaller ones (%s)', async (_what, sizeOf, message) => {
    const node = await startProxy(world.anvil.rpcUrl);
    proxy = node;
    let most = 0n;
    const refused = new Set<string>();
    const isRefused = (call: Called): boolean =>
      rawsIn([call]).some((raw) => {
        const size = sizeOf(Transaction.from(raw));
        if (most === 0n) most = (size * 4n) / 5n;
        return size > most;
      });
    node.replace = (call) => (isRefused(call) ? null : call);
    node.rewriteOne = (answer, call) => {
      if (!isRefused(call)) return answer;
      refused.add(String(call.params[0]));
      return { id: answer.id, error: { code: -32000, message } };
    };
    bench = new Bench(world);
    const charges = await newCharges();
    await bench.charge(...charges);
    stopPump = world.pump();
    const chain = bench.chain({ rpcUrl: node.url, timing: QUICK });
    await chain.start();
    let trouble: string | null = null;
    await bench.until('it is refused', async () => {
      trouble ??= (await chain.health()).trouble;
      return trouble !== null;
    });
    expect(trouble).toContain(message);
    expect(trouble).toContain('in smaller transactions');
    await bench.untilState(charges, 'final');
    await expectPulledOnce(world, ...charges);
    expect(refused.size).toBe(1);
    const docs = await bench.records.find('transactions', { where: {}, sort: [['nonce', 1]], limit: 20 });
    const [whole, empty] = docs[0]?.versions.map(({ raw }) => Transaction.from(raw)) ?? [];
    expect(empty).toMatchObject({ nonce: whole?.nonce, to: world.router, data: '0x' });
    expect(docs.map(({ reverted }) => reverted).filter(Boolean)).toHaveLength(1);
    expect(docs.length).toBeGreaterThan(2);
    await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
  });

  it('does the same if blocks have less gas by now than it needs', async () => {
    const node = await startProxy(world.anvil.rpcUrl);
    proxy = node;
    let most = 0n;
    const isDropped = (call: Called): boolean =>
      rawsIn([call]).some((raw) => {
        const { gasLimit } = Transaction.from(raw);
        if (most === 0n) most = (gasLimit * 7n) / 10n;
        return gasLimit > most;
      });
    node.replace = (call) => (isDropped(call) ? null : call);
    node.rewriteOne = (answer, { method }) => {
      if (method !== 'eth_getBlockByNumber' || most === 0n || typeof answer.result !== 'object') return answer;
      return { ...answer, result: { ...answer.result, gasLimit: toQuantity(most) } };
    };
    bench = new Bench(world);
    const charges = await newCharges();
    await bench.charge(...charges);
    stopPump = world.pump();
    await bench.chain({ rpcUrl: node.url, timing: QUICK }).start();
    await bench.untilState(charges, 'final');
    await expectPulledOnce(world, ...charges);
    const docs = await bench.records.find('transactions', { where: {}, sort: [['nonce', 1]], limit: 20 });
    expect(docs[0]).toMatchObject({ reverted: true, versions: [{}, {}] });
    expect(docs.map(({ reverted }) => reverted).filter(Boolean)).toHaveLength(1);
  });
});

describe('a transaction with fees below the base fee', () => {
  it("is replaced at its nonce for the market's price, stored before it is sent, and charges once", async () => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    const unstored: string[] = [];
    const known = new Set<string>();
    proxy.treat = (calls) => {
      unstored.push(...rawsIn(calls).filter((raw) => !known.has(raw)));
      return 'pass';
    };
    const fault = async (): Promise<void> => {
      const docs = await bench.records.find('transactions', { where: {}, limit: 10 });
      for (const { versions } of docs) for (const { raw } of versions) known.add(raw);
    };
    const charge = await priced({ rpcUrl: proxy.url, fault });
    const first = await bench.transactionOf(charge);
    await untilVersions(charge, 2);
    stopPump = world.pump();
    await bench.untilState([charge], 'final');
    const { versions, nonce } = await bench.transactionOf(charge);
    const [old, next] = versions;
    expectEighthMore(old, next);
    expect(BigInt(next?.maxFeePerGas ?? 0)).toBeGreaterThanOrEqual(100n * GWEI);
    expect(nonce).toBe(first.nonce);
    expect(Transaction.from(next?.raw).nonce).toBe(nonce);
    expect(Transaction.from(next?.raw).data).toBe(Transaction.from(old?.raw).data);
    expect((await bench.read(charge)).txHash).toBe(next?.hash);
    expect(await bench.records.count('transactions', {})).toBe(1);
    expect(unstored).toEqual([]);
    await expectPulledOnce(world, charge);
  });

  it('may still land in its first version', async () => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    let isClosed = false;
    proxy.treat = (calls) => (isClosed && rawsIn(calls).length > 0 ? 'drop' : 'pass');
    const charge = await priced({
      rpcUrl: proxy.url,
      fault: async (point) => {
        if (point === 'keeper.stored.before') isClosed = true;
      },
    });
    await untilVersions(charge, 2);
    const { versions } = await bench.transactionOf(charge);
    await setBaseFee(GWEI);
    await world.anvil.provider.send('eth_sendRawTransaction', [versions[0]?.raw]);
    await world.mine();
    isClosed = false;
    await bench.untilState([charge], 'final');
    expect((await bench.read(charge)).txHash).toBe(versions[0]?.hash);
    await expectPulledOnce(world, charge);
  });

  it('is reported again when a reorganisation replaces one version by the other', async () => {
    bench = new Bench(world);
    const charge = await priced({ confirmations: 2 });
    await untilVersions(charge, 2);
    const [old, next] = (await bench.transactionOf(charge)).versions;
    await bench.untilPending(charge);
    await setBaseFee(GWEI);
    await bench.untilState([charge], 'mined');
    expect((await bench.read(charge)).txHash).toBe(next?.hash);
    await world.anvil.provider.send('anvil_reorg', [1, [[old?.raw, 0]]]);
    await bench.until('it is in the old version', async () => (await bench.read(charge)).txHash === old?.hash);
    await world.mine(2);
    await bench.untilState([charge], 'final');
    expect((await bench.read(charge)).txHash).toBe(old?.hash);
    await expectPulledOnce(world, charge);
  });

  it('is replaced together with those behind it', async () => {
    bench = new Bench(world);
    const charges = [await newCharge(), await newCharge(), await newCharge()];
    await bench.chain({ timing: QUICK, sizes: { charges: 1 } }).start();
    await bench.charge(...charges);
    await bench.untilState(charges, 'sent');
    await setBaseFee(50n * GWEI);
    stopPump = world.pump();
    await bench.untilState(charges, 'final');
    const docs = await bench.records.find('transactions', { where: {}, limit: 10 });
    expect(docs.map(({ versions }) => versions.length >= 2)).toEqual([true, true, true]);
    await expectPulledOnce(world, ...charges);
  });
});

describe('a transaction that no block takes', () => {
  it('is raised step by step up to the cap, and shows as a trouble; it lands when it can', async () => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    let isClosed = true;
    proxy.treat = (calls) => (isClosed && rawsIn(calls).length > 0 ? 'drop' : 'pass');
    const charge = await newCharge();
    const chain = bench.chain({ rpcUrl: proxy.url, timing: { replaceMs: 20 } });
    await chain.start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    await bench.until('it is at the cap', async () => {
      await world.mine(3);
      return (await chain.health()).trouble?.includes(`${FEE_CAP} times the market's`) ?? false;
    });
    const { versions } = await bench.transactionOf(charge);
    expect(versions.length).toBeGreaterThan(2);
    for (const [index, version] of versions.slice(1).entries()) expectEighthMore(versions[index], version);
    const [first, last] = [versions[0], versions.at(-1)].map((version) => BigInt(version?.maxFeePerGas ?? 0));
    expect(last).toBeLessThanOrEqual((first ?? 0n) * FEE_CAP);
    isClosed = false;
    stopPump = world.pump();
    await bench.untilState([charge], 'final');
    await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
    await expectPulledOnce(world, charge);
  });

  it('does not change while the chain makes no blocks', async () => {
    bench = new Bench(world);
    const charge = await newCharge();
    await bench.chain({ timing: { replaceMs: 20 } }).start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    const { asked } = await bench.transactionOf(charge);
    await bench.until(
      'the node was asked about it several times',
      async () => (await bench.transactionOf(charge)).asked > asked + 6,
    );
    expect((await bench.transactionOf(charge)).versions).toHaveLength(1);
    stopPump = world.pump();
    await bench.untilState([charge], 'final');
    await expectPulledOnce(world, charge);
  });
});

describe('a replacement', () => {
  it.each(['swallow', 'drop'] as const)('continues when the answer to its broadcast is lost: %s', async (treatment) => {
    bench = new Bench(world);
    proxy = await startProxy(world.anvil.rpcUrl);
    let lost = 0;
    let isReplaced = false;
    proxy.treat = (calls) => {
      if (!isReplaced || lost > 0 || rawsIn(calls).length === 0) return 'pass';
      lost += 1;
      return treatment;
    };
    const fault = async (point: ChainFaultPoint): Promise<void> => {
      if (point === 'keeper.stored.after') isReplaced = true;
    };
    const charge = await priced({ rpcUrl: proxy.url, fault });
    stopPump = world.pump();
    await bench.untilState([charge], 'final');
    expect(lost).toBe(1);
    await expectPulledOnce(world, charge);
  });

  it('is made once by two simultaneous processes', async () => {
    bench = new Bench(world);
    const leases: Leases = { take: async () => true, release: async () => {} };
    let arrived = 0;
    let open: () => void = () => {};
    const both = new Promise<void>((resolve) => {
      open = resolve;
    });
    const fault = async (point: ChainFaultPoint): Promise<void> => {
      if (point !== 'keeper.stored.before') return;
      arrived += 1;
      if (arrived === 2) open();
      await both;
    };
    const charge = await priced({ leases, fault });
    await bench.chain({ leases, fault, timing: QUICK }).start();
    await bench.until('both are at it', () => arrived >= 2);
    await untilVersions(charge, 2);
    stopPump = world.pump();
    await bench.untilState([charge], 'final');
    const { versions, replaced } = await bench.transactionOf(charge);
    expect(versions.length - 1).toBe(replaced);
    const again = bench.logged.filter(({ message }) => message === 'transaction replaced').length;
    expect(again).toBe(replaced);
    await expectPulledOnce(world, charge);
  });

  it.each(['keeper.stored.before', 'keeper.stored.after'] as const)(
    'is made by a successor if its process dies at %s',
    async (point) => {
      bench = new Bench(world);
      let died = false;
      const charge = await priced({
        isDead: () => died,
        fault: async (at) => {
          if (at !== point || died) return;
          died = true;
          throw new Error(`died at ${point}`);
        },
      });
      await bench.until('it dies', () => died);
      const { versions } = await bench.transactionOf(charge);
      expect(versions.length).toBe(point === 'keeper.stored.after' ? 2 : 1);
      stopPump = world.pump();
      await bench.chain({ timing: QUICK }).start();
      await bench.untilState([charge], 'final');
      await expectPulledOnce(world, charge);
    },
  );

  it('waits for gas if the sender cannot pay for it', async () => {
    bench = new Bench(world);
    const charge = await newCharge();
    const chain = bench.chain({ timing: QUICK });
    await chain.start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    const { sender } = await bench.transactionOf(charge);
    const { provider } = world.anvil;
    const full = await provider.getBalance(sender);
    await provider.send('anvil_setBalance', [sender, '0x1']);
    await setBaseFee(50n * GWEI);
    await bench.until(
      'health shows the trouble',
      async () => (await chain.health()).trouble?.includes(' for gas') ?? false,
    );
    expect((await bench.transactionOf(charge)).versions).toHaveLength(1);
    await provider.send('anvil_setBalance', [sender, `0x${full.toString(16)}`]);
    stopPump = world.pump();
    await bench.untilState([charge], 'final');
    await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
    await expectPulledOnce(world, charge);
  });
});
