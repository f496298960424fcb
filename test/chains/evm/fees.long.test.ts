import { Transaction, toQuantity } from 'ethers';
import type { ChainFaultPoint } from '../../../src/chains/context.ts';
import { FEE_CAP, replacementFees } from '../../../src/chains/evm/fees.ts';
import type { ChargeDoc, SignedVersion } from '../../../src/store/collections.ts';
import { barrier, dyingAt, EVERYBODY, onceAt } from '../support/faults.ts';
import { type Called, isBroadcast } from '../support/proxy.ts';
import { type EvmWish, useEvm } from './bench.ts';

const GWEI = 1_000_000_000n;

/** A transaction that is in no block after this time is checked. */
const QUICK = { replaceMs: 120 };

const { world, bench } = useEvm();

afterEach(() => world.setBaseFee(GWEI));

function untilVersions(charge: ChargeDoc, count: number): Promise<void> {
  return bench.until(
    `it has ${count} versions`,
    async () => (await bench.transactionOf(charge)).versions.length >= count,
  );
}

/** A charge whose transaction is signed with low fees, and then kept out of blocks by a base fee of 50 gwei. */
async function priced(wish: EvmWish = {}): Promise<ChargeDoc> {
  const charge = await bench.newCharge();
  await bench.start({ timing: QUICK, ...wish });
  await bench.send(charge);
  await world.setBaseFee(50n * GWEI);
  return charge;
}

function expectEighthMore(old: SignedVersion | undefined, next: SignedVersion | undefined): void {
  for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
    expect(BigInt(next?.[field] ?? 0) * 8n).toBeGreaterThanOrEqual(BigInt(old?.[field] ?? 2n ** 99n) * 9n);
  }
}

/** The signed bytes that these calls send to the node. */
function rawsIn(calls: readonly Called[]): string[] {
  return calls.filter(isBroadcast).map(({ params }) => String(params[0]));
}

describe('the fees of a replacement', () => {
  it.each([
    ['an eighth more than before', [100n, 10n], [50n, 5n], [113n, 12n]],
    ['what the market asks for', [100n, 10n], [900n, 90n], [900n, 90n]],
    ['more in the field that the market has not raised', [8n, 0n], [99n, 0n], [99n, 1n]],
    ['nothing beyond the cap', [400n, 1n], [100n, 1n], null],
    ['no tip beyond four times the most of the chain', [99n, 380n], [9_999n, 100n], null],
  ] as const)('are %s', (_, old, market, expected) => {
    const fees = ([maxFeePerGas, maxPriorityFeePerGas]: readonly [bigint, bigint]) => {
      return { maxFeePerGas, maxPriorityFeePerGas };
    };
    expect(replacementFees(fees(old), fees(market), 100n)).toEqual(expected === null ? null : fees(expected));
  });
});

describe('a transaction whose gas limit is no longer enough', () => {
  /** After its signature, the chain needs this much more gas for every transaction, as Arbitrum did in June 2024. */
  async function dearer(more: bigint) {
    const node = await bench.proxy();
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
    const fault = onceAt('sender.stored.after', async () => {
      const [transaction] = await bench.transactions();
      least = Transaction.from(transaction?.versions[0]?.raw).gasLimit + 1n;
    });
    const charge = await bench.newCharge();
    world.pump();
    const chain = await bench.start({ rpcUrl: node.url, timing: QUICK, fault });
    await bench.charge(charge);
    return { refused, charge, chain };
  }

  it('is replaced at its nonce with the gas that is needed now, and health shows meanwhile why it is refused', async () => {
    const { refused, charge, chain } = await dearer(3_000_000n);
    await bench.untilTrouble(chain, /./);
    const { trouble } = await chain.health();
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
    await bench.expectPulledOnce(charge);
    await bench.untilWell(chain);
  });
});

describe('a tip that nodes refuse', () => {
  it.each([
    ['transaction gas price below minimum: gas tip cap 1500000000, minimum needed 25000000000', 25n * GWEI],
    ['transaction underpriced', 48n * GWEI],
  ])('is raised in all transactions in flight, and the next ones offer enough (%s)', async (message, most) => {
    const node = await bench.proxy();
    const tipOf = (raw = '0x') => Transaction.from(raw).maxPriorityFeePerGas ?? 0n;
    const isLow = (call: Called) => rawsIn([call]).some((raw) => tipOf(raw) < 25n * GWEI);
    node.replace = (call) => (isLow(call) ? null : call);
    node.rewriteOne = (answer, call) => {
      if (call.method === 'eth_maxPriorityFeePerGas') return { ...answer, result: toQuantity((3n * GWEI) / 2n) };
      return isLow(call) ? { id: answer.id, error: { code: -32000, message } } : answer;
    };
    const charges = await bench.newCharges(3);
    const chain = await bench.start({ rpcUrl: node.url, timing: QUICK, charges: 1 });
    await bench.send(...charges);
    const newest = async () => (await bench.transactions()).map(({ versions }) => tipOf(versions.at(-1)?.raw));
    await bench.until('all offer enough', async () => (await newest()).every((tip) => tip >= 25n * GWEI));
    world.pump();
    await bench.untilState(charges, 'final');
    const next = await bench.newCharge();
    await bench.settle(next);
    const tips = (await bench.transactionOf(next)).versions.map(({ raw }) => tipOf(raw));
    expect(tips).toHaveLength(1);
    // An underpriced one is doubled, or replaced by an eighth more: which comes first depends on the node's answers.
    expect(tips.filter((tip) => tip < 25n * GWEI || tip > most)).toEqual([]);
    await bench.expectPulledOnce(...charges, next);
    await bench.untilWell(chain);
  });
});

describe('a transaction that is larger than nodes accept', () => {
  const newCharges = (length = 10): Promise<ChargeDoc[]> =>
    Promise.all(Array.from({ length }, () => bench.newCharge()));

  it.each([
    ['of more gas than one may have', (signed: Transaction) => signed.gasLimit, 'transaction gas limit too high'],
    [
      'that may cost more than nodes allow',
      ({ gasLimit, maxFeePerGas }: Transaction) => gasLimit * (maxFeePerGas ?? 0n),
      'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)',
    ],
  ])('gives its nonce back, and its charges go into smaller ones (%s)', async (_what, sizeOf, message) => {
    const node = await bench.proxy();
    let most = 0n;
    const [sent, refused] = [new Map<string, Transaction>(), new Set<string>()];
    const isRefused = (call: Called): boolean =>
      rawsIn([call]).some((raw) => {
        const signed = Transaction.from(raw);
        sent.set(raw, signed);
        const size = sizeOf(signed);
        if (most === 0n) most = (size * 4n) / 5n;
        return size > most;
      });
    node.replace = (call) => (isRefused(call) ? null : call);
    node.rewriteOne = (answer, call) => {
      if (!isRefused(call)) return answer;
      refused.add(String(call.params[0]));
      return { id: answer.id, error: { code: -32000, message } };
    };
    const charges = await newCharges();
    await bench.charge(...charges);
    world.pump();
    const chain = await bench.start({ rpcUrl: node.url, timing: QUICK });
    await bench.untilTrouble(chain, /./);
    const { trouble } = await chain.health();
    expect(trouble).toContain(message);
    expect(trouble).toContain('in smaller transactions');
    await bench.untilState(charges, 'final');
    await bench.expectPulledOnce(...charges);
    expect(refused.size).toBe(1);
    const docs = await bench.transactions();
    const [whole] = [...refused].map((raw) => sent.get(raw));
    const empty = [...sent.values()].filter(({ data }) => data === '0x');
    expect(empty).toMatchObject([{ nonce: whole?.nonce, to: world.router }]);
    expect(docs.map(({ reverted }) => reverted).filter(Boolean)).toHaveLength(1);
    expect(docs.length).toBeGreaterThan(2);
    await bench.untilWell(chain);
  });

  it('does the same if blocks have less gas by now than it needs', async () => {
    const node = await bench.proxy();
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
    const charges = await newCharges(40);
    await bench.charge(...charges);
    world.pump();
    await bench.start({ rpcUrl: node.url, timing: QUICK });
    await bench.untilState(charges, 'final');
    await bench.expectPulledOnce(...charges);
    const docs = await bench.transactions();
    expect(docs[0]).toMatchObject({ reverted: true, versions: [{}, {}] });
    expect(docs.map(({ reverted }) => reverted).filter(Boolean)).toHaveLength(1);
  });
});

describe('a transaction with fees below the base fee', () => {
  it("is replaced at its nonce for the market's price, stored before it is sent, and charges once", async () => {
    const proxy = await bench.proxy();
    const unstored: string[] = [];
    const known = new Set<string>();
    proxy.treat = (calls) => {
      unstored.push(...rawsIn(calls).filter((raw) => !known.has(raw)));
      return 'pass';
    };
    const fault = async (): Promise<void> => {
      const docs = await bench.transactions();
      for (const { versions } of docs) for (const { raw } of versions) known.add(raw);
    };
    const charge = await priced({ rpcUrl: proxy.url, fault });
    const first = await bench.transactionOf(charge);
    await untilVersions(charge, 2);
    world.pump();
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
    await bench.expectPulledOnce(charge);
  });

  it('is reported again when a reorganisation replaces one version by the other', async () => {
    const charge = await priced({ confirmations: 2 });
    await untilVersions(charge, 2);
    const [old, next] = (await bench.transactionOf(charge)).versions;
    await bench.untilPending(charge);
    await world.setBaseFee(GWEI);
    await bench.untilState([charge], 'mined');
    expect((await bench.read(charge)).txHash).toBe(next?.hash);
    await world.reorg(1, old?.raw);
    await bench.until('it is in the old version', async () => (await bench.read(charge)).txHash === old?.hash);
    await world.mine(2);
    await bench.untilState([charge], 'final');
    expect((await bench.read(charge)).txHash).toBe(old?.hash);
    await bench.expectPulledOnce(charge);
  });

  it('is replaced together with those behind it', async () => {
    const charges = [await bench.newCharge(), await bench.newCharge(), await bench.newCharge()];
    await bench.start({ timing: QUICK, charges: 1 });
    await bench.send(...charges);
    await world.setBaseFee(50n * GWEI);
    world.pump();
    await bench.untilState(charges, 'final');
    const docs = await bench.transactions();
    expect(docs.map(({ versions }) => versions.length >= 2)).toEqual([true, true, true]);
    await bench.expectPulledOnce(...charges);
  });
});

describe('a transaction that no block takes', () => {
  it('is raised step by step up to the cap, and shows as a trouble; it lands when it can', async () => {
    const proxy = await bench.proxy();
    proxy.dropsBroadcasts = true;
    const charge = await bench.newCharge();
    const chain = await bench.start({ rpcUrl: proxy.url, timing: { replaceMs: 20 } });
    await bench.send(charge);
    await bench.until('it is at the cap', async () => {
      await world.mine(3);
      return (await chain.health()).trouble?.includes(`${FEE_CAP} times the market's`) ?? false;
    });
    const { versions } = await bench.transactionOf(charge);
    expect(versions.length).toBeGreaterThan(2);
    for (const [index, version] of versions.slice(1).entries()) expectEighthMore(versions[index], version);
    const [first, last] = [versions[0], versions.at(-1)].map((version) => BigInt(version?.maxFeePerGas ?? 0));
    expect(last).toBeLessThanOrEqual((first ?? 0n) * FEE_CAP);
    proxy.dropsBroadcasts = false;
    world.pump();
    await bench.untilState([charge], 'final');
    await bench.untilWell(chain);
    await bench.expectPulledOnce(charge);
  });

  it('does not change while the chain makes no blocks', async () => {
    const charge = await bench.newCharge();
    await bench.start({ timing: { replaceMs: 20 } });
    await bench.send(charge);
    await bench.untilAskedAgain(charge, 6);
    expect((await bench.transactionOf(charge)).versions).toHaveLength(1);
    world.pump();
    await bench.untilState([charge], 'final');
    await bench.expectPulledOnce(charge);
  });
});

describe('a replacement', () => {
  it.each(['swallow', 'drop'] as const)('continues when the answer to its broadcast is lost: %s', async (treatment) => {
    const proxy = await bench.proxy();
    let lost = 0;
    let isReplaced = false;
    proxy.treat = (calls) => {
      if (!isReplaced || lost > 0 || rawsIn(calls).length === 0) return 'pass';
      lost += 1;
      return treatment;
    };
    const fault = onceAt('keeper.stored.after', () => {
      isReplaced = true;
    });
    const charge = await priced({ rpcUrl: proxy.url, fault });
    world.pump();
    await bench.untilState([charge], 'final');
    expect(lost).toBe(1);
    await bench.expectPulledOnce(charge);
  });

  it('is made once by two simultaneous processes', async () => {
    const both = barrier(2);
    const fault = async (point: ChainFaultPoint): Promise<void> => {
      if (point === 'keeper.stored.before') await both.reach();
    };
    const charge = await priced({ leases: EVERYBODY, fault });
    await bench.start({ leases: EVERYBODY, fault, timing: QUICK });
    await both.opened;
    await untilVersions(charge, 2);
    world.pump();
    await bench.untilState([charge], 'final');
    const { versions, replaced } = await bench.transactionOf(charge);
    expect(versions.length - 1).toBe(replaced);
    const again = bench.logged.filter(({ message }) => message === 'transaction replaced').length;
    expect(again).toBe(replaced);
    await bench.expectPulledOnce(charge);
  });

  it.each(['keeper.stored.before', 'keeper.stored.after'] as const)(
    'is made by a successor if its process dies at %s',
    async (point) => {
      const mortal = dyingAt(point);
      const charge = await priced(mortal);
      await bench.until('it dies', mortal.isDead);
      const { versions } = await bench.transactionOf(charge);
      expect(versions.length).toBe(point === 'keeper.stored.after' ? 2 : 1);
      world.pump();
      await bench.start({ timing: QUICK });
      await bench.untilState([charge], 'final');
      await bench.expectPulledOnce(charge);
    },
  );

  it('waits for gas if the sender cannot pay for it', async () => {
    const charge = await bench.newCharge();
    const chain = await bench.start({ timing: QUICK });
    await bench.send(charge);
    const { sender } = await bench.transactionOf(charge);
    const full = await world.gasOf(sender);
    await world.setGas(sender, 1n);
    await world.setBaseFee(50n * GWEI);
    await bench.untilTrouble(chain, ' for gas');
    expect((await bench.transactionOf(charge)).versions).toHaveLength(1);
    await world.setGas(sender, full);
    world.pump();
    await bench.untilState([charge], 'final');
    await bench.untilWell(chain);
    await bench.expectPulledOnce(charge);
  });
});
