import { randomBytes } from 'node:crypto';
import type { ChainFaultPoint } from '../../../src/chains/context.ts';
import type { Chain, DepositRead, DepositState } from '../../../src/chains/port.ts';
import type { ChargeDoc, WatchDoc } from '../../../src/store/collections.ts';
import { type RpcProxy, startProxy } from '../evm/proxy.ts';
import { NOTHING_RESERVED } from '../support/bench.ts';
import { FAULT_POINTS } from '../support/points.ts';
import { failureReasonsContract } from './failure-reasons.ts';
import type { PlayBench, Playground } from './playground.ts';
import { reservesContract } from './reserves.ts';

/** After a pause of this length a process has lost its signing queue, and the others no longer wait for it. */
const ANOTHERS_TURN_MS = 20_000;

/** A barrier: everybody who reaches it waits. */
function standstill() {
  let goOn = () => {};
  let reach = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const going = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  return {
    reached,
    goOn: () => goOn(),
    reach: () => {
      reach();
      return going;
    },
  };
}

function raise(): never {
  throw new Error('there is none');
}

/** The requirements for every chain, whatever its family. The chain itself is the judge. */
export function chainContract(open: () => Promise<Playground>): void {
  let ground: Playground;
  let bench: PlayBench;
  let proxy: RpcProxy | undefined;

  beforeAll(async () => {
    ground = await open();
  }, 120_000);
  afterEach(async () => {
    await ground?.hold(false);
    await bench?.stop();
    await proxy?.stop();
    proxy = undefined;
  });
  afterAll(() => ground?.stop());

  async function started(wish: Parameters<PlayBench['play']>[0] = {}): Promise<PlayBench> {
    bench = ground.bench();
    await bench.play(wish).start();
    return bench;
  }

  /** The operator that the payers of this playground approve. */
  function operatorOf(chain: Chain, merchantId: string): string {
    return chain.operatorFor(merchantId, 'test', ground.consent);
  }

  /** Each of these charges moved its amount from its payer exactly once, and nothing else moved. */
  async function expectEachOnce(charges: readonly ChargeDoc[]): Promise<void> {
    for (const wallet of new Set(charges.map(({ from }) => from))) {
      const asked = charges.filter(({ from }) => from === wallet).map(({ gross }) => BigInt(gross));
      const pulled = (await ground.pulls(wallet)).map(({ amount }) => amount);
      expect([wallet, pulled.length, sum(pulled)]).toEqual([wallet, asked.length, sum(asked)]);
    }
  }

  async function expectNothingMoved(charge: ChargeDoc): Promise<void> {
    expect(await ground.pulls(charge.from)).toEqual([]);
  }

  async function someCharges(count: number): Promise<ChargeDoc[]> {
    const payers = await Promise.all([ground.payer('mrc_a'), ground.payer('mrc_b')]);
    return Array.from({ length: count }, (_, index) => {
      const which = index % 2;
      return ground.charge({ from: payers[which] ?? '', merchantId: which === 0 ? 'mrc_a' : 'mrc_b' });
    });
  }

  const newKey = (): string => `0x${randomBytes(32).toString('hex')}`;

  /** A refund of a third of the balance of a deposit address. */
  async function someRefund(chain: Chain) {
    const account = newKey();
    const { address } = await chain.openDeposit(account);
    await ground.mint(address, 30n);
    const receiver = ground.stranger();
    const plain = ground.charge({ from: address, gross: 10n, shares: [['forward', receiver, 10n]], key: newKey() });
    const refund: ChargeDoc = { ...plain, deposit: { kind: 'refund', account } };
    return { refund, receiver };
  }

  describe('a charge that can be made', () => {
    it('lands once with exact shares, is reported mined and final, and finalized at the end', async () => {
      await started();
      const [from, one, other, third] = [await ground.payer('mrc_a'), ...[1, 2, 3].map(() => ground.stranger())];
      const charge = ground.charge({
        from,
        gross: 9_999_999n,
        shares: [
          ['forward', one ?? '', 7_000_000n],
          ['platform', other ?? '', 99_999n],
          ['split', third ?? '', 2_900_000n],
        ],
      });
      const before = await ground.balanceOf(from);
      await bench.charge(charge);
      await bench.untilState([charge], 'final');
      const { txHash, block } = await bench.read(charge);
      const hashes = {
        pullTxHash: txHash,
        forwardTxHash: txHash,
        platformTransferTxHash: txHash,
        distributeTxHash: txHash,
      };
      expect(bench.listener.of(charge).slice(0, 2)).toEqual([
        { kind: 'mined', hashes, block },
        { kind: 'final', hashes, block },
      ]);
      const got = await Promise.all([one, other, third].map((wallet) => ground.balanceOf(wallet ?? '')));
      expect(got).toEqual([7_000_000n, 99_999n, 2_900_000n]);
      expect(await ground.balanceOf(from)).toBe(before - 9_999_999n);
      expect(await ground.pulls(from)).toMatchObject([{ amount: 9_999_999n, txHash }]);
      await ground.finalize();
      await bench.until('it is finalized', () => bench.listener.kinds(charge).includes('finalized'));
      expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'finalized']);
    });

    it('has no hash for a share that it does not have', async () => {
      await started();
      const charge = ground.charge({
        from: await ground.payer('mrc_a'),
        gross: 5n,
        shares: [['forward', ground.merchant, 5n]],
      });
      await bench.charge(charge);
      await bench.untilState([charge], 'final');
      expect(bench.listener.of(charge)[1]).toMatchObject({
        hashes: { forwardTxHash: expect.any(String), platformTransferTxHash: null, distributeTxHash: null },
      });
    });

    it('is made beside others of its payer and of other merchants, each once', async () => {
      bench = ground.bench();
      const charges = await someCharges(24);
      await bench.charge(...charges);
      await bench.play({ senders: 2, charges: 7 }).start();
      await bench.untilState(charges, 'final');
      await expectEachOnce(charges);
    });

    it('does not wait behind all due charges of another merchant, because merchants alternate', async () => {
      bench = ground.bench();
      const due = async (merchantId: string, count: number, ms: number): Promise<ChargeDoc[]> => {
        const from = await ground.payer(merchantId);
        return Array.from({ length: count }, () => ({
          ...ground.charge({ from, merchantId }),
          notBefore: new Date(ms),
        }));
      };
      const many = await due('mrc_a', 12, 1_000);
      const [one] = await due('mrc_b', 1, 2_000);
      if (!one) raise();
      await bench.charge(...many, one);
      await bench.play({ senders: 1, charges: 4 }).start();
      await bench.untilState([...many, one], 'final');
      const place = await placeOf(one);
      const behind = await Promise.all(many.map(placeOf));
      expect(behind.filter((each) => each > place).length).toBeGreaterThanOrEqual(9);
    });
  });

  /** The position of its transaction in its sender's signing queue. */
  async function placeOf(charge: ChargeDoc): Promise<number> {
    const { transactionId } = await bench.read(charge);
    const [transaction] = await bench.records.get('transactions', transactionId === null ? [] : [transactionId]);
    return transaction?.nonce ?? raise();
  }

  describe('a charge that cannot be made is refused for the reason of the real condition', () => {
    const refusals: {
      readonly title: string;
      readonly make: () => Promise<ChargeDoc>;
      readonly fact: object;
    }[] = [
      {
        title: 'no allowance',
        make: async () => ground.charge({ from: await ground.payer('mrc_a', { allowance: 0n }) }),
        fact: { kind: 'refused', reason: 'insufficient_allowance', landed: false },
      },
      {
        title: 'an allowance of another merchant',
        make: async () => ground.charge({ from: await ground.payer('mrc_b'), merchantId: 'mrc_a' }),
        fact: { kind: 'refused', reason: 'insufficient_allowance', landed: false },
      },
      {
        title: 'an allowance that another approval has taken the place of, or that was taken back',
        make: async () => {
          const from = await ground.payer('mrc_a');
          await ground.approve(from, 'mrc_a', 0n);
          return ground.charge({ from });
        },
        fact: { kind: 'refused', reason: 'insufficient_allowance', landed: false },
      },
      {
        title: 'an allowance and a balance too small, where the allowance is said',
        make: async () => ground.charge({ from: await ground.payer('mrc_a', { allowance: 9n, balance: 9n }) }),
        fact: { kind: 'refused', reason: 'insufficient_allowance', landed: false },
      },
      {
        title: 'a wallet that the token has never seen',
        make: async () => ground.charge({ from: ground.stranger() }),
        fact: { kind: 'refused', reason: 'insufficient_allowance', landed: false },
      },
    ];

    it.each(refusals)('refuses a charge for $title', async ({ make, fact }) => {
      await started();
      const charge = await make();
      await bench.charge(charge);
      await bench.untilState([charge], 'refused');
      expect(bench.listener.of(charge)).toEqual([fact]);
      expect(bench.listener.started).toEqual([]);
      await expectNothingMoved(charge);
    });

    it('leaves nothing for others of the same wallet', async () => {
      bench = ground.bench();
      const [a, b] = [
        await ground.payer('mrc_a', { balance: 25_000_000n }),
        await ground.payer('mrc_a', { allowance: 15_000_000n }),
      ];
      const ofA = [1, 2, 3].map(() => ground.charge({ from: a }));
      const ofB = [1, 2].map(() => ground.charge({ from: b }));
      await bench.charge(...ofA, ...ofB);
      await bench.play().start();
      await bench.untilState([...ofA, ...ofB], 'final', 'refused');
      const facts = (charges: readonly ChargeDoc[]) => charges.flatMap((charge) => bench.listener.of(charge));
      expect(facts(ofA)).toContainEqual({ kind: 'refused', reason: 'insufficient_balance', landed: false });
      expect(facts(ofB)).toContainEqual({ kind: 'refused', reason: 'insufficient_allowance', landed: false });
      expect(sum((await ground.pulls(a)).map(({ amount }) => amount))).toBe(20_000_000n);
      expect(sum((await ground.pulls(b)).map(({ amount }) => amount))).toBe(10_000_000n);
    });
  });

  failureReasonsContract({
    ground: () => ground,
    opened: () => {
      bench = ground.bench();
      return bench;
    },
  });
  reservesContract({ ground: () => ground, started });

  describe("the payment's answer before signing", () => {
    it('leaves out charges that it does not release, and makes the others', async () => {
      bench = ground.bench();
      const [held, ...others] = (await someCharges(3)).map((charge) => charge);
      if (!held) throw new Error('no charge');
      bench.listener.allows = ({ _id }) => _id !== held._id;
      await bench.charge(held, ...others);
      await bench.play().start();
      await bench.untilState(others, 'final');
      expect((await bench.read(held)).state).toBe('waiting');
      bench.listener.allows = () => true;
      await bench.untilState([held], 'final');
      await expectEachOnce([held, ...others]);
    });

    it('ends withdrawn charges before anything is signed', async () => {
      bench = ground.bench();
      const charge = ground.charge({ from: await ground.payer('mrc_a') });
      bench.listener.allows = () => false;
      bench.listener.withdrew = () => true;
      await bench.play().start();
      await bench.charge(charge);
      await bench.untilState([charge], 'withdrawn');
      expect(bench.listener.reported).toEqual([]);
      expect(await bench.records.count('transactions', {})).toBe(0);
      await expectNothingMoved(charge);
    });

    it('does not touch a charge that was withdrawn during its check', async () => {
      bench = ground.bench();
      const { records } = bench;
      const charge = ground.charge({ from: await ground.payer('mrc_a') });
      bench.listener.allows = ({ _id }) => {
        void records.change('charges', _id, { state: 'waiting' }, { set: { state: 'withdrawn' } });
        return true;
      };
      await bench.play().start();
      await bench.charge(charge);
      await bench.untilState([charge], 'withdrawn');
      await bench.until('the payment was asked', () => bench.listener.started.length > 0);
      expect(await records.count('transactions', {})).toBe(0);
      await expectNothingMoved(charge);
    });
  });

  describe('deposits', () => {
    /** A deposit address with these amounts, sent as transfers of one payer. */
    async function deposited(chain: Chain, ...amounts: readonly bigint[]) {
      const account = newKey();
      const { address, since } = await chain.openDeposit(account);
      const payer = await ground.payer('mrc_a', { allowance: 0n });
      for (const amount of amounts) await ground.send(payer, address, amount);
      const read: DepositRead = {
        account,
        address,
        token: ground.token,
        known: new Map(),
        isMoving: false,
        since,
        createdAt: new Date(),
        found: [],
        limit: 500,
        others: [],
      };
      return { account, address, payer, read };
    }

    async function readOne(chain: Chain, read: DepositRead): Promise<DepositState> {
      const [state] = await chain.readDeposits([read]);
      if (!state) throw new Error('an answer was left out');
      return state;
    }

    it('have a fixed address for each key, which is empty at first', async () => {
      bench = ground.bench();
      const [chain, other] = [bench.play(), bench.play()];
      const [one, two] = [newKey(), newKey()];
      const { address } = await chain.openDeposit(one);
      expect((await other.openDeposit(one)).address).toBe(address);
      expect((await chain.openDeposit(two)).address).not.toBe(address);
      expect(chain.parseAddress(address)).toBe(address);
      const { read } = await deposited(chain);
      expect(await readOne(chain, read)).toMatchObject({ arrivals: [], shallow: 0n });
    });

    it('are found with their senders, and only once', async () => {
      bench = ground.bench();
      const chain = bench.play();
      const { payer, address, read } = await deposited(chain, 5n, 7n);
      const { arrivals, since } = await readOne(chain, read);
      const [first, second] = arrivals;
      expect(arrivals).toMatchObject([
        { amount: 5n, from: payer, token: ground.token },
        { amount: 7n, from: payer },
      ]);
      expect(since).toBeGreaterThanOrEqual(read.since ?? 0);
      const known = {
        ...read,
        since,
        known: new Map([[ground.token, 12n]]),
        found: arrivals,
      };
      expect((await readOne(chain, known)).arrivals).toEqual([]);
      // A reader that knows one of them gets the other.
      const half = { ...read, known: new Map([[ground.token, 5n]]), found: [first ?? raise()] };
      expect((await readOne(chain, half)).arrivals).toEqual([second]);
      await ground.mint(address, 1n);
      expect((await readOne(chain, known)).arrivals).toMatchObject([{ amount: 1n }]);
    });

    it('pay for a charge, and the rest is refunded once', async () => {
      bench = ground.bench();
      const chain = bench.play();
      await chain.start();
      const { account, address } = await deposited(chain, 12n);
      const merchant = ground.stranger();
      const shares = [['forward', merchant, 10n]] as const;
      const plain = ground.charge({ from: address, gross: 10n, shares, key: account });
      const charge: ChargeDoc = { ...plain, deposit: { kind: 'charge', account } };
      await bench.charge(charge);
      await bench.untilState([charge], 'final');
      expect([await ground.balanceOf(address), await ground.balanceOf(merchant)]).toEqual([2n, 10n]);

      const receiver = ground.stranger();
      const back = ground.charge({ from: address, gross: 1n, shares: [['forward', receiver, 1n]], key: newKey() });
      const refund: ChargeDoc = { ...back, deposit: { kind: 'refund', account } };
      await bench.charge(refund);
      await bench.untilState([refund], 'final');
      const again = { ...refund, _id: `${refund.key}:2`, attempt: 2 };
      await bench.charge(again);
      await bench.untilState([again], 'final');
      expect([await ground.balanceOf(address), await ground.balanceOf(receiver)]).toEqual([1n, 1n]);
      expect((await bench.read(again)).txHash).toBe((await bench.read(refund)).txHash);
    });

    it('are found at once while the same amount is leaving, because nobody may check again later', async () => {
      bench = ground.bench();
      const chain = bench.play();
      await chain.start();
      const { account, address, payer, read } = await deposited(chain, 10n);
      const { arrivals, since } = await readOne(chain, read);
      const found = arrivals;
      const plain = ground.charge({
        from: address,
        gross: 10n,
        shares: [['forward', ground.stranger(), 10n]],
        key: account,
      });
      const charge: ChargeDoc = { ...plain, deposit: { kind: 'charge', account } };
      await bench.charge(charge);
      await bench.untilState([charge], 'final');
      await ground.send(payer, address, 10n);
      const unaware = { ...read, known: new Map([[ground.token, 10n]]), isMoving: true, since, found };
      const meanwhile = await readOne(chain, unaware);
      expect(meanwhile).toMatchObject({ arrivals: [{ amount: 10n, from: payer }], since });
      const aware = { ...read, since: meanwhile.since, found };
      expect((await readOne(chain, aware)).arrivals).toEqual(meanwhile.arrivals);
    });

    it('pay nothing if they are too small', async () => {
      bench = ground.bench();
      const chain = bench.play();
      await chain.start();
      const { account, address } = await deposited(chain, 9n);
      const plain = ground.charge({
        from: address,
        gross: 10n,
        shares: [['forward', ground.merchant, 10n]],
        key: account,
      });
      const charge: ChargeDoc = { ...plain, deposit: { kind: 'charge', account } };
      await bench.charge(charge);
      await bench.untilState([charge], 'refused');
      expect(bench.listener.of(charge)).toEqual([{ kind: 'refused', reason: 'insufficient_balance', landed: false }]);
    });

    it('are unknown, not empty, if no node answers', async () => {
      bench = ground.bench();
      const { read } = await deposited(bench.play());
      proxy = await startProxy(ground.rpcUrl);
      proxy.treat = () => 'drop';
      const silent = bench.play({ rpcUrl: proxy.url });
      await expect(silent.readDeposits([read])).rejects.toThrow('does not answer');
      expect(await silent.openDeposit(read.account)).toMatchObject({ address: read.address, since: null });
    });
  });

  describe('allowances', () => {
    it('are read in one request, in the given order, even of unused wallets', async () => {
      bench = ground.bench();
      const chain = bench.play();
      const rich = await ground.payer('mrc_a', { allowance: 7n, balance: 9n });
      const nobody = ground.stranger();
      const operators = [operatorOf(chain, 'mrc_a'), operatorOf(chain, 'mrc_b')];
      const reads = Array.from({ length: 250 }, (_, index) => ({
        token: ground.token,
        wallet: index % 2 === 0 ? rich : nobody,
        operator: operators[index % 3 === 0 ? 0 : 1] ?? '',
      }));
      const expected = reads.map(({ wallet, operator }) => ({
        allowance: wallet === rich && operator === operators[0] ? 7n : 0n,
        balance: wallet === rich ? 9n : 0n,
      }));
      const states = await chain.readAllowances(reads);
      expect(states).toEqual(expected.map((state) => expect.objectContaining(state)));
      expect(await chain.readAllowances([])).toEqual([]);
    });

    it('are missing for an unusable token, but not for others in the request', async () => {
      bench = ground.bench();
      const chain = bench.play();
      const wallet = await ground.payer('mrc_a', { allowance: 7n });
      const read = { token: ground.token, wallet, operator: operatorOf(chain, 'mrc_a') };
      const other = { ...read, token: ground.stranger() };
      const state = expect.objectContaining({ allowance: 7n });
      expect(await chain.readAllowances([other, read, read])).toEqual([null, state, state]);
      expect(await chain.readAllowances([other])).toEqual([null]);
    });

    it('belong to a block, and later ones to a later block', async () => {
      bench = ground.bench();
      const chain = bench.play();
      const wallet = await ground.payer('mrc_a', { allowance: 7n });
      const read = { token: ground.token, wallet, operator: operatorOf(chain, 'mrc_a') };
      const before = await chain.readAllowances([read]);
      await ground.approve(wallet, 'mrc_a', 5n);
      const after = await chain.readAllowances([read]);
      expect([before, after].map((states) => states.map((state) => state?.allowance))).toEqual([[7n], [5n]]);
      const [old, fresh] = [before[0]?.block ?? Number.NaN, after[0]?.block ?? Number.NaN];
      expect(fresh).toBeGreaterThan(old);
    });

    it('are unknown, not zero, if no node answers', async () => {
      proxy = await startProxy(ground.rpcUrl);
      proxy.treat = () => 'drop';
      bench = ground.bench();
      const chain = bench.play({ rpcUrl: proxy.url });
      const read = { token: ground.token, wallet: ground.stranger(), operator: operatorOf(chain, 'mrc_a') };
      await expect(chain.readAllowances([read])).rejects.toThrow('does not answer');
    });

    it('belong to operators that are known before they exist on the chain, one for each merchant and mode', () => {
      bench = ground.bench();
      const [one, other] = [bench.play(), bench.play()];
      const names = [one.operatorFor('mrc_new', 'test'), one.operatorFor('mrc_new', 'live')];
      expect(new Set([...names, one.operatorFor('mrc_other', 'test')]).size).toBe(3);
      expect(names).toEqual([other.operatorFor('mrc_new', 'test'), other.operatorFor('mrc_new', 'live')]);
      expect(names.map((name) => one.parseAddress(name))).toEqual(names);
      for (const wrong of ['', 'nobody', names[0]?.slice(0, 20) ?? '', `${names[0]}0`]) {
        expect([wrong, one.parseAddress(wrong)]).toEqual([wrong, null]);
      }
    });
  });

  describe('a watch of a wallet', () => {
    function watch(wallet: string, operator: string): WatchDoc {
      return {
        _id: `sub_${wallet}`,
        merchantId: 'mrc_a',
        mode: 'test',
        chainId: ground.chainId,
        token: ground.token,
        operator,
        wallet: ground.comparable(wallet),
        lookAt: null,
        looks: 0,
        createdAt: new Date(),
      };
    }

    it('gets an approval and arriving money, and nothing of other wallets', async () => {
      bench = ground.bench();
      const [waiting, empty, other] = [
        await ground.payer('mrc_a', { allowance: 0n }),
        await ground.payer('mrc_a', { balance: 0n }),
        await ground.payer('mrc_a', { allowance: 0n }),
      ];
      const chain = bench.play();
      const operator = operatorOf(chain, 'mrc_a');
      await chain.start();
      await bench.records.insert('watches', [watch(waiting, operator), watch(empty, operator)]);
      bench.listener.wallets.length = 0;
      await ground.approve(waiting, 'mrc_a', 5n);
      await ground.approve(other, 'mrc_a', 5n);
      await bench.until('the approval is reported', () => bench.listener.wallets.includes(ground.comparable(waiting)));
      await ground.mint(empty, 5n);
      await bench.until('the money is reported', () => bench.listener.wallets.includes(ground.comparable(empty)));
      expect(bench.listener.wallets).not.toContain(ground.comparable(other));
    });

    it('gets events from before a restart', async () => {
      bench = ground.bench();
      const waiting = await ground.payer('mrc_a', { allowance: 0n });
      const first = bench.play();
      await first.start();
      const cursor = async () => (await bench.records.get('chainCursors', [String(ground.chainId)]))[0];
      await bench.until('the chain has been read', async () => (await cursor()) !== undefined);
      await bench.records.insert('watches', [watch(waiting, operatorOf(first, 'mrc_a'))]);
      await first.stop();
      await ground.approve(waiting, 'mrc_a', 5n);
      bench.listener.wallets.length = 0;
      await bench.play().start();
      await bench.until('the approval is reported', () => bench.listener.wallets.includes(ground.comparable(waiting)));
    });
  });

  describe('a process that dies', () => {
    it.each(FAULT_POINTS)('at %s leaves everything to its successor, and nothing is pulled twice', async (point) => {
      bench = ground.bench();
      const charges = await someCharges(6);
      let died = false;
      const first = bench.play({
        isDead: () => died,
        fault: async (at) => {
          if (at !== point) return;
          died = true;
          throw new Error(`died at ${point}`);
        },
      });
      const back = await someRefund(first);
      await first.start();
      await bench.charge(back.refund, ...charges);
      await bench.until('it dies', () => died);
      await first.stop();
      await bench.play().start();
      await bench.untilState([back.refund, ...charges], 'final');
      await expectEachOnce(charges);
      expect([await ground.balanceOf(back.refund.from), await ground.balanceOf(back.receiver)]).toEqual([20n, 10n]);
      for (const charge of charges) {
        expect(bench.listener.kinds(charge)).toEqual(expect.arrayContaining(['mined', 'final']));
        expect(bench.listener.kinds(charge)).not.toContain('refused');
      }
    });

    it('continues by itself after an error at each point', async () => {
      bench = ground.bench();
      const left = new Set<ChainFaultPoint>(FAULT_POINTS);
      await bench
        .play({
          fault: async (at) => {
            if (left.delete(at)) throw new Error(`fails once at ${at}`);
          },
        })
        .start();
      for (let round = 0; round < 3; round += 1) {
        const charges = await someCharges(2);
        await bench.charge(...charges);
        await bench.untilState(charges, 'final');
        await expectEachOnce(charges);
      }
      expect([...left]).toEqual([]);
    });

    it('loses nothing if two hold one signing queue at the same time', async () => {
      bench = ground.bench();
      const everybody = { take: async () => true, release: async () => {} };
      const charges = await someCharges(30);
      await bench.charge(...charges);
      await Promise.all([1, 2].map(() => bench.play({ leases: everybody, charges: 4 }).start()));
      await bench.untilState(charges, 'final');
      await expectEachOnce(charges);
      for (const charge of charges) expect(bench.listener.kinds(charge)).not.toContain('refused');
    });
  });

  describe('a sender that fails repeatedly for an unforeseen reason', () => {
    const isSaid = (chain: Chain) => async () =>
      (await chain.health()).trouble?.includes('fails again and again; the log says why') ?? false;
    const isWell = (chain: Chain) => async () => (await chain.health()).trouble === null;

    it('is a trouble of the chain until it continues', async () => {
      bench = ground.bench();
      const chain = bench.play();
      await chain.start();
      bench.listener.sets = raise;
      const from = await ground.payer('mrc_a', { allowance: 10n ** 9n });
      const charges = [ground.charge({ from }), ground.charge({ from })];
      await bench.charge(...charges);
      await bench.until('health shows the trouble', isSaid(chain));
      bench.listener.sets = () => NOTHING_RESERVED;
      await bench.untilState(charges, 'final');
      await bench.until('health shows no trouble', isWell(chain));
      await expectEachOnce(charges);
    });
  });

  describe('an unknown result is not a failure', () => {
    it('after a node was down at the start and later: the chain waits, reports it, and catches up', async () => {
      proxy = await startProxy(ground.rpcUrl);
      proxy.treat = () => 'drop';
      bench = ground.bench();
      const chain = bench.play({ rpcUrl: proxy.url });
      await chain.start();
      const charges = await someCharges(3);
      await bench.charge(...charges);
      await bench.until(
        'health shows the trouble',
        async () => (await chain.health()).trouble?.includes('no answer') ?? false,
      );
      expect(await chain.health()).toMatchObject({ enabled: true, open: 3, head: null });
      proxy.treat = () => 'pass';
      await bench.untilState(charges, 'final');
      await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
      const more = await someCharges(3);
      let isDown = true;
      proxy.treat = () => (isDown ? 'drop' : 'pass');
      await bench.charge(...more);
      await bench.until('health shows the trouble', async () => (await chain.health()).trouble !== null);
      isDown = false;
      await bench.untilState(more, 'final');
      await expectEachOnce([...charges, ...more]);
      for (const charge of [...charges, ...more]) expect(bench.listener.kinds(charge)).not.toContain('refused');
    });

    it.each([
      ['took the broadcast although its answer was lost', 'swallow'],
      ['never saw the broadcast', 'drop'],
    ] as const)('from a node that %s', async (_title, treatment) => {
      proxy = await startProxy(ground.rpcUrl);
      let lost = 0;
      proxy.treat = (calls) => {
        if (!calls.some((call) => ground.isBroadcast(call)) || lost > 2) return 'pass';
        lost += 1;
        return treatment;
      };
      bench = ground.bench();
      await bench.play({ rpcUrl: proxy.url }).start();
      const charges = await someCharges(4);
      await bench.charge(...charges);
      await bench.untilState(charges, 'final');
      expect(lost).toBeGreaterThan(0);
      await expectEachOnce(charges);
    });

    it('from a node that answers batches in another order and omits answers', async () => {
      proxy = await startProxy(ground.rpcUrl);
      let turn = 0;
      proxy.rewrite = (answer) => {
        if (!Array.isArray(answer)) return answer;
        turn += 1;
        const reversed = [...answer].reverse();
        return turn % 3 === 0 ? reversed.slice(1) : reversed;
      };
      bench = ground.bench();
      await bench.play({ rpcUrl: proxy.url }).start();
      const charges = await someCharges(6);
      await bench.charge(...charges);
      await bench.untilState(charges, 'final');
      await expectEachOnce(charges);
    });

    it('of a payment that is not certain: it is notified again, and blocks no other', async () => {
      bench = ground.bench();
      const [bad, ...good] = await someCharges(4);
      if (!bad) throw new Error('no charge');
      let isBad = true;
      bench.listener.onNotify = (facts) => {
        if (isBad && facts.some(({ charge }) => charge._id === bad._id)) throw new Error('not certain');
      };
      await bench.play().start();
      await bench.charge(bad, ...good);
      await bench.untilState(good, 'final');
      expect((await bench.read(bad)).state).toBe('sent');
      isBad = false;
      await bench.untilState([bad], 'final');
      await expectEachOnce([bad, ...good]);
      for (const charge of [bad, ...good]) {
        expect(bench.listener.kinds(charge).filter((kind) => kind === 'final')).toEqual(['final']);
      }
    });

    it('of a payment that cannot get its refusal: it blocks no charge of the same round', async () => {
      bench = ground.bench();
      const good = await someCharges(2);
      const poor = async () => ground.charge({ from: await ground.payer('mrc_a', { allowance: 0n }) });
      const [bad, other] = [await poor(), await poor()];
      let isBad = true;
      bench.listener.onNotify = (facts) => {
        if (isBad && facts.some(({ charge }) => charge._id === bad._id)) throw new Error('not certain');
      };
      await bench.charge(bad, other, ...good);
      await bench.play().start();
      await bench.untilState([other], 'refused');
      await bench.untilState(good, 'final');
      expect((await bench.read(bad)).state).toBe('waiting');
      expect(bench.logged.filter(({ message }) => message.startsWith('signing queue failed'))).toEqual([]);
      isBad = false;
      await bench.untilState([bad], 'refused');
      await expectEachOnce(good);
      for (const charge of [bad, other]) expect(bench.listener.kinds(charge)).toEqual(['refused']);
    });

    it('reports a decided refusal from the next signing queue if the first is suspended, and nobody signs the charge', async () => {
      bench = ground.bench();
      const from = await ground.payer('mrc_a', { allowance: 0n });
      const charge = ground.charge({ from });
      const first = standstill();
      bench.listener.onNotify = () => first.reach();
      await bench.charge(charge);
      await bench.play().start();
      await first.reached;
      bench.listener.onNotify = () => undefined;
      try {
        await ground.approve(from, 'mrc_a', 10n ** 9n);
        await bench.play({ clock: () => new Date(Date.now() + ANOTHERS_TURN_MS) }).start();
        await bench.untilState([charge], 'refused', 'final');
        expect(bench.listener.kinds(charge)).toEqual(['refused']);
      } finally {
        first.goOn();
      }
      await bench.until('the first reports it too', async () => bench.listener.kinds(charge).length === 2);
      expect(bench.listener.started).toEqual([]);
      await expectNothingMoved(charge);
    });

    it('keeps a suspended signing queue from sending a charge that the next one refused', async () => {
      bench = ground.bench();
      const [from, other] = [await ground.payer('mrc_a'), await ground.payer('mrc_b')];
      const charge = ground.charge({ from });
      const beside = ground.charge({ from: other, merchantId: 'mrc_b' });
      const first = standstill();
      await bench.charge(charge, beside);
      await bench
        .play({ fault: async (point) => (point === 'sender.started.after' ? first.reach() : undefined) })
        .start();
      await first.reached;
      try {
        await ground.approve(from, 'mrc_a', 0n);
        await bench.play({ clock: () => new Date(Date.now() + ANOTHERS_TURN_MS) }).start();
        await bench.untilState([charge], 'refused');
        await bench.untilState([beside], 'final');
        await ground.approve(from, 'mrc_a', 10n ** 9n);
      } finally {
        first.goOn();
      }
      const isOvertaken = () =>
        bench.logged.some((line) => /taken over|took these charges over/.test(JSON.stringify(line)));
      await bench.until('the first finds that it has been overtaken', isOvertaken, 15_000);
      const later = ground.charge({ from: other, merchantId: 'mrc_b' });
      await bench.charge(later);
      await bench.untilState([later], 'final');
      expect((await bench.read(charge)).state).toBe('refused');
      await expectNothingMoved(charge);
      await expectEachOnce([beside, later]);
    });

    it('of a sender without fees: it starts nothing, reports it, and continues by itself', async () => {
      bench = ground.bench();
      const charge = ground.charge({ from: await ground.payer('mrc_a') });
      const enrich = await ground.impoverish();
      const chain = bench.play();
      await chain.start();
      await bench.charge(charge);
      await bench.until('health shows the trouble', async () =>
        / for (gas|fees)/.test((await chain.health()).trouble ?? ''),
      );
      expect(bench.listener.started).toEqual([]);
      expect((await bench.read(charge)).state).toBe('waiting');
      await enrich();
      await bench.untilState([charge], 'final');
      await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
    });
  });

  describe('several senders', () => {
    it('continue when one has no fees: the other does its share until the first can pay again', async () => {
      bench = ground.bench();
      const from = await ground.payer('mrc_a');
      const cycles = (count: number) =>
        Array.from({ length: count }, () => ({ ...ground.charge({ from }), isCycle: true }));
      const signed = async (sender: string) => bench.records.count('transactions', { sender });
      const enrich = await ground.impoverish();
      const chain = bench.play({ senders: 2, charges: 2 });
      await chain.start();
      const charges = cycles(6);
      await bench.charge(...charges);
      await bench.untilState(charges, 'final');
      const [poor, rich] = (await chain.health()).senders;
      expect([await signed(poor?.address ?? ''), await signed(rich?.address ?? '')]).toEqual([0, expect.any(Number)]);
      expect(BigInt(poor?.balance ?? -1)).toBeLessThan(BigInt(rich?.balance ?? 0));
      expect((await chain.health()).trouble).toContain(poor?.address);
      await enrich();
      await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
      const more = cycles(12);
      await bench.charge(...more);
      await bench.untilState(more, 'final');
      expect(await signed(poor?.address ?? '')).toBeGreaterThan(0);
      await expectEachOnce([...charges, ...more]);
    });
  });

  describe('a key that was charged before', () => {
    it('by another database is reconciled from the chain, and not charged again', async () => {
      const charge = ground.charge({ from: await ground.payer('mrc_a') });
      await started();
      await bench.charge(charge);
      await bench.untilState([charge], 'final');
      const { txHash, shares, gross } = await bench.read(charge);
      await bench.stop();
      await started();
      const asked = charge.shares.map((share) => ({ ...share, amount: '1' }));
      await bench.charge({ ...charge, gross: '2', shares: asked });
      await bench.untilState([charge], 'final');
      expect(await bench.read(charge)).toMatchObject({ txHash, shares, gross });
      expect(bench.listener.kinds(charge).slice(0, 2)).toEqual(['mined', 'final']);
      await expectEachOnce([charge]);
    });

    it('is reconciled by a later attempt', async () => {
      await started();
      const first = ground.charge({ from: await ground.payer('mrc_a') });
      await bench.charge(first);
      await bench.untilState([first], 'final');
      const second = ground.charge({ from: first.from, key: first.key, attempt: 2 });
      await bench.charge(second);
      await bench.untilState([second], 'final');
      expect((await bench.read(second)).txHash).toBe((await bench.read(first)).txHash);
      await expectEachOnce([first]);
    });

    it('ends an attempt that its payment has abandoned for the one that was made', async () => {
      await started();
      const made = ground.charge({ from: await ground.payer('mrc_a'), attempt: 2 });
      await bench.charge(made);
      await bench.untilState([made], 'final');
      const behind = ground.charge({ from: made.from, key: made.key });
      bench.listener.allows = () => false;
      bench.listener.withdrew = () => true;
      await bench.charge(behind);
      await bench.untilState([behind], 'withdrawn');
      expect(bench.listener.kinds(behind)).toEqual([]);
      await expectEachOnce([made]);
    });

    it('stays as a trouble if no payment wants it and nobody follows its transaction', async () => {
      const charge = ground.charge({ from: await ground.payer('mrc_a') });
      await started();
      await bench.charge(charge);
      await bench.untilState([charge], 'final');
      await bench.stop();
      bench = ground.bench();
      bench.listener.allows = () => false;
      bench.listener.withdrew = () => true;
      const chain = bench.play();
      await chain.start();
      await bench.charge(charge);
      await bench.until(
        'health shows the trouble',
        async () => (await chain.health()).trouble?.includes('does not want it') ?? false,
      );
      expect((await bench.read(charge)).state).toBe('waiting');
      await expectEachOnce([charge]);
    });
  });
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
