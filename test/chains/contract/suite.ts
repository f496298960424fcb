import type { ChainFaultPoint } from '../../../src/chains/context.ts';
import type { Chain, DepositRead, DepositState } from '../../../src/chains/port.ts';
import type { ChargeDoc, WatchDoc } from '../../../src/store/collections.ts';
import { watch } from '../../store/support/documents.ts';
import { type ChainBench, NOTHING_RESERVED, sum } from '../support/bench.ts';
import { barrier, dyingAt, EVERYBODY, FAULT_POINTS, onceAt } from '../support/faults.ts';
import { type Answered, isBroadcast } from '../support/proxy.ts';
import { type ChargeWish, newKey, secondAttempt, waitingCharge } from '../support/world.ts';
import { failureReasonsContract } from './failure-reasons.ts';
import { reservesContract } from './reserves.ts';

/** After a pause of this length a process has lost its signing queue, and the others no longer wait for it. */
const ANOTHERS_TURN_MS = 20_000;

/** An engine that is not certain about the payment of this charge. */
function isNotCertainOf({ _id }: ChargeDoc): ChainBench['listener']['onNotify'] {
  return (facts) => {
    if (facts.some(({ charge }) => charge._id === _id)) throw new Error('not certain');
  };
}

function raise(): never {
  throw new Error('there is none');
}

/** What a node says that does not know the past, by the method that asks for it. */
const NOTHING_OLD: Readonly<Record<string, Answered>> = {
  eth_getLogs: { result: [] },
  getTransaction: { result: null },
};

const PRUNED = { error: { code: -32_000, message: 'history has been pruned for this block' } };

/** The requirements for every chain, whatever its family. The chain itself is the judge. */
export function chainContract(bench: ChainBench): void {
  const { world } = bench;

  /** The operator that the payers of this world approve. */
  function operatorOf(chain: Chain, merchantId: string): string {
    return chain.operatorFor(merchantId, 'test', world.consent);
  }

  /** A payment of 10 from a deposit address. */
  function payment({ account, address }: Pick<DepositRead, 'account' | 'address'>, to: string): ChargeDoc {
    return ofDeposit('charge', account, { from: address, gross: 10n, shares: [['forward', to, 10n]], key: account });
  }

  /** A charge or refund of a deposit address. */
  function ofDeposit(kind: 'charge' | 'refund', account: string, wish: ChargeWish): ChargeDoc {
    return { ...waitingCharge(world, wish), deposit: { kind, account } };
  }

  /** A refund of a third of the balance of a deposit address. */
  async function someRefund(chain: Chain) {
    const account = newKey();
    const { address } = await chain.openDeposit(account);
    await world.mint(address, 30n);
    const receiver = world.stranger();
    const shares = [['forward', receiver, 10n]] as const;
    return { refund: ofDeposit('refund', account, { from: address, gross: 10n, shares, key: newKey() }), receiver };
  }

  describe('a charge that can be made', () => {
    it('lands once with exact shares, is reported mined and final, and finalized at the end', async () => {
      await bench.start();
      const [from, one, other, third] = [await world.payer('mrc_a'), ...[1, 2, 3].map(() => world.stranger())];
      const charge = bench.chargeOf({
        from,
        gross: 9_999_999n,
        shares: [
          ['forward', one ?? '', 7_000_000n],
          ['platform', other ?? '', 99_999n],
          ['split', third ?? '', 2_900_000n],
        ],
      });
      const before = await world.balanceOf(from);
      await bench.settle(charge);
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
      const got = await Promise.all([one, other, third].map((wallet) => world.balanceOf(wallet ?? '')));
      expect(got).toEqual([7_000_000n, 99_999n, 2_900_000n]);
      expect(await world.balanceOf(from)).toBe(before - 9_999_999n);
      expect(await world.pulls(from)).toMatchObject([{ amount: 9_999_999n, txHash }]);
      await world.finalize();
      await bench.untilReported(charge, 'finalized');
      expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'finalized']);
      const isFinalized = async () => (await bench.transactionsOf(charge))[0]?.state === 'finalized';
      await bench.until('the transaction is finalized', isFinalized);
      expect((await bench.transactionsOf(charge)).map(({ versions }) => versions.map(({ raw }) => raw))).toEqual([
        [''],
      ]);
    });

    it('has no hash for a share that it does not have', async () => {
      await bench.start();
      const charge = await bench.newCharge({ gross: 5n, shares: [['forward', world.merchant, 5n]] });
      await bench.settle(charge);
      expect(bench.listener.of(charge)[1]).toMatchObject({
        hashes: { forwardTxHash: expect.any(String), platformTransferTxHash: null, distributeTxHash: null },
      });
    });

    it('does not wait behind all due charges of another merchant, because merchants alternate', async () => {
      const due = async (merchantId: string, count: number, ms: number): Promise<ChargeDoc[]> => {
        const from = await world.payer(merchantId);
        return Array.from({ length: count }, () => ({
          ...bench.chargeOf({ from, merchantId }),
          notBefore: new Date(ms),
        }));
      };
      const many = await due('mrc_a', 12, 1_000);
      const [one] = await due('mrc_b', 1, 2_000);
      if (!one) raise();
      await bench.charge(...many, one);
      await bench.start({ senders: 1, charges: 4 });
      await bench.untilState([...many, one], 'final');
      const place = await placeOf(one);
      const behind = await Promise.all(many.map(placeOf));
      expect(behind.filter((each) => each > place).length).toBeGreaterThanOrEqual(9);
    });
  });

  /** The position of its transaction in its sender's signing queue. */
  async function placeOf(charge: ChargeDoc): Promise<number> {
    return (await bench.transactionOf(charge)).nonce;
  }

  describe('a charge that cannot be made is refused for the reason of the real condition', () => {
    it.each<[title: string, make: () => Promise<string>]>([
      ['no allowance', () => world.payer('mrc_a', { allowance: 0n })],
      ['an allowance of another merchant', () => world.payer('mrc_b')],
      [
        'an allowance that another approval has taken the place of, or that was taken back',
        async () => {
          const from = await world.payer('mrc_a');
          await world.approve(from, 'mrc_a', 0n);
          return from;
        },
      ],
      [
        'an allowance and a balance too small, where the allowance is said',
        () => world.payer('mrc_a', { allowance: 9n, balance: 9n }),
      ],
      ['a wallet that the token has never seen', async () => world.stranger()],
    ])('refuses a charge for %s', async (_, make) => {
      await bench.start();
      const charge = bench.chargeOf({ from: await make() });
      await bench.refuse(charge);
      expect(bench.listener.of(charge)).toEqual([{ kind: 'refused', reason: 'insufficient_allowance', landed: false }]);
      expect(bench.listener.started).toEqual([]);
      await bench.expectNothingPulled(charge);
    });

    it('leaves nothing for others of the same wallet', async () => {
      const [a, b] = [
        await world.payer('mrc_a', { balance: 25_000_000n }),
        await world.payer('mrc_a', { allowance: 15_000_000n }),
      ];
      const ofA = [1, 2, 3].map(() => bench.chargeOf({ from: a }));
      const ofB = [1, 2].map(() => bench.chargeOf({ from: b }));
      await bench.charge(...ofA, ...ofB);
      await bench.start();
      await bench.untilState([...ofA, ...ofB], 'final', 'refused');
      const facts = (charges: readonly ChargeDoc[]) => charges.flatMap((charge) => bench.listener.of(charge));
      expect(facts(ofA)).toContainEqual({ kind: 'refused', reason: 'insufficient_balance', landed: false });
      expect(facts(ofB)).toContainEqual({ kind: 'refused', reason: 'insufficient_allowance', landed: false });
      expect(sum((await world.pulls(a)).map(({ amount }) => amount))).toBe(20_000_000n);
      expect(sum((await world.pulls(b)).map(({ amount }) => amount))).toBe(10_000_000n);
    });
  });

  failureReasonsContract(bench);
  reservesContract(bench);

  describe("the payment's answer before signing", () => {
    it('leaves out charges that it does not release, and makes the others', async () => {
      const [held, ...others] = await bench.newCharges(3);
      if (!held) throw new Error('no charge');
      bench.listener.allows = ({ _id }) => _id !== held._id;
      await bench.charge(held, ...others);
      await bench.start();
      await bench.untilState(others, 'final');
      expect((await bench.read(held)).state).toBe('waiting');
      bench.listener.allows = () => true;
      await bench.untilState([held], 'final');
      await bench.expectPulledOnce(held, ...others);
    });

    it('ends withdrawn charges before anything is signed', async () => {
      const charge = await bench.newCharge();
      bench.listener.allows = () => false;
      bench.listener.withdrew = () => true;
      await bench.start();
      await bench.charge(charge);
      await bench.untilState([charge], 'withdrawn');
      expect(bench.listener.reported).toEqual([]);
      expect(await bench.records.count('transactions', {})).toBe(0);
      await bench.expectNothingPulled(charge);
    });

    it('does not touch a charge that was withdrawn during its check', async () => {
      const { records } = bench;
      const charge = await bench.newCharge();
      bench.listener.allows = ({ _id }) => {
        void records.change('charges', _id, { state: 'waiting' }, { set: { state: 'withdrawn' } });
        return true;
      };
      await bench.start();
      await bench.charge(charge);
      await bench.untilState([charge], 'withdrawn');
      await bench.until('the payment was asked', () => bench.listener.started.length > 0);
      expect(await records.count('transactions', {})).toBe(0);
      await bench.expectNothingPulled(charge);
    });
  });

  describe('deposits', () => {
    /** A deposit address with these amounts, sent as transfers of one payer. */
    async function deposited(chain: Chain, ...amounts: readonly bigint[]) {
      const account = newKey();
      const { address, since } = await chain.openDeposit(account);
      const payer = await world.payer('mrc_a', { allowance: 0n });
      for (const amount of amounts) await world.transfer(payer, address, amount);
      return { account, address, payer, read: bench.depositRead({ account, address }, { since }) };
    }

    async function readOne(chain: Chain, read: DepositRead): Promise<DepositState> {
      const [state] = await chain.readDeposits([read]);
      if (!state) throw new Error('an answer was left out');
      return state;
    }

    it('have a fixed address for each key, which is empty at first', async () => {
      const [chain, other] = [bench.chain(), bench.chain()];
      const [one, two] = [newKey(), newKey()];
      const { address } = await chain.openDeposit(one);
      expect((await other.openDeposit(one)).address).toBe(address);
      expect((await chain.openDeposit(two)).address).not.toBe(address);
      expect(chain.parseAddress(address)).toBe(address);
      const { read } = await deposited(chain);
      expect(await readOne(chain, read)).toMatchObject({ arrivals: [], shallow: 0n });
    });

    it('are found with their senders, and only once', async () => {
      const chain = bench.chain();
      const { payer, address, read } = await deposited(chain, 5n, 7n);
      const { arrivals, since } = await readOne(chain, read);
      const [first, second] = arrivals;
      expect(arrivals).toMatchObject([
        { amount: 5n, from: payer, token: world.token },
        { amount: 7n, from: payer },
      ]);
      expect(since).toBeGreaterThanOrEqual(read.since ?? 0);
      const known = { ...read, since, known: new Map([[world.token, 12n]]), found: arrivals };
      expect((await readOne(chain, known)).arrivals).toEqual([]);
      // A reader that knows one of them gets the other.
      const half = { ...read, known: new Map([[world.token, 5n]]), found: [first ?? raise()] };
      expect((await readOne(chain, half)).arrivals).toEqual([second]);
      await world.mint(address, 1n);
      expect((await readOne(chain, known)).arrivals).toMatchObject([{ amount: 1n }]);
    });

    it('pay for a charge, and the rest is refunded once', async () => {
      const chain = await bench.start();
      const { account, address } = await deposited(chain, 12n);
      const merchant = world.stranger();
      await bench.settle(payment({ account, address }, merchant));
      expect([await world.balanceOf(address), await world.balanceOf(merchant)]).toEqual([2n, 10n]);

      const receiver = world.stranger();
      const refund = ofDeposit('refund', account, { from: address, gross: 1n, shares: [['forward', receiver, 1n]] });
      await bench.settle(refund);
      const again = secondAttempt(refund);
      await bench.settle(again);
      expect([await world.balanceOf(address), await world.balanceOf(receiver)]).toEqual([1n, 1n]);
      expect((await bench.read(again)).txHash).toBe((await bench.read(refund)).txHash);
    });

    it('are found at once while the same amount is leaving, because nobody may check again later', async () => {
      const chain = await bench.start();
      const { account, address, payer, read } = await deposited(chain, 10n);
      const { arrivals, since } = await readOne(chain, read);
      const found = arrivals;
      await bench.settle(payment({ account, address }, world.stranger()));
      await world.transfer(payer, address, 10n);
      const unaware = { ...read, known: new Map([[world.token, 10n]]), isMoving: true, since, found };
      const meanwhile = await readOne(chain, unaware);
      expect(meanwhile).toMatchObject({ arrivals: [{ amount: 10n, from: payer }], since });
      const aware = { ...read, since: meanwhile.since, found };
      expect((await readOne(chain, aware)).arrivals).toEqual(meanwhile.arrivals);
    });

    it('pay nothing if they are too small', async () => {
      const chain = await bench.start();
      const { account, address } = await deposited(chain, 9n);
      const charge = payment({ account, address }, world.merchant);
      await bench.refuse(charge);
      expect(bench.listener.of(charge)).toEqual([{ kind: 'refused', reason: 'insufficient_balance', landed: false }]);
    });

    it.each<[what: string, said: Answered]>([
      ['does not show yet', { result: null }],
      ['refuses to show', { error: { code: -32_000, message: 'history is not available' } }],
    ])('are incomplete if a node %s a transaction, and block no other address', async (_, said) => {
      const proxy = await bench.proxy();
      const chain = bench.chain({ rpcUrl: proxy.url });
      const places = [await deposited(chain, 5n), await deposited(chain, 5n)];
      const reads = places.map(({ read }) => read);
      const [hidden, beside] = await chain.readDeposits(reads);
      expect(hidden?.arrivals).toMatchObject([{ amount: 5n }]);
      const [{ txHash } = raise()] = hidden?.arrivals ?? [];
      proxy.rewriteOne = (answer, { params: [asked] }) => (asked === txHash ? said : answer);
      expect(await bench.chain({ rpcUrl: proxy.url }).readDeposits(reads)).toMatchObject([
        { arrivals: [], isCut: true, since: reads[0]?.since },
        { arrivals: beside?.arrivals, isCut: false },
      ]);
      proxy.heal();
      expect(await readOne(chain, reads[0] ?? raise())).toMatchObject({ arrivals: [{ amount: 5n }], isCut: false });
    });

    it('are unknown, not empty, if no node answers', async () => {
      const { read } = await deposited(bench.chain());
      const proxy = await bench.proxy();
      proxy.treat = () => 'drop';
      const silent = bench.chain({ rpcUrl: proxy.url });
      await expect(silent.readDeposits([read])).rejects.toThrow('does not answer');
      expect(await silent.openDeposit(read.account)).toMatchObject({ address: read.address, since: null });
    });
  });

  describe('allowances', () => {
    it('are read in one request, in the given order, even of unused wallets', async () => {
      const chain = bench.chain();
      const rich = await world.payer('mrc_a', { allowance: 7n, balance: 9n });
      const nobody = world.stranger();
      const operators = [operatorOf(chain, 'mrc_a'), operatorOf(chain, 'mrc_b')];
      const reads = Array.from({ length: 250 }, (_, index) => ({
        token: world.token,
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
      const chain = bench.chain();
      const wallet = await world.payer('mrc_a', { allowance: 7n });
      const read = { token: world.token, wallet, operator: operatorOf(chain, 'mrc_a') };
      const other = { ...read, token: world.stranger() };
      const state = expect.objectContaining({ allowance: 7n });
      expect(await chain.readAllowances([other, read, read])).toEqual([null, state, state]);
      expect(await chain.readAllowances([other])).toEqual([null]);
    });

    it('belong to a block, and later ones to a later block', async () => {
      const chain = bench.chain();
      const wallet = await world.payer('mrc_a', { allowance: 7n });
      const read = { token: world.token, wallet, operator: operatorOf(chain, 'mrc_a') };
      const before = await chain.readAllowances([read]);
      await world.approve(wallet, 'mrc_a', 5n);
      const after = await chain.readAllowances([read]);
      expect([before, after].map((states) => states.map((state) => state?.allowance))).toEqual([[7n], [5n]]);
      const [old, fresh] = [before[0]?.block ?? Number.NaN, after[0]?.block ?? Number.NaN];
      expect(fresh).toBeGreaterThan(old);
    });

    it('are unknown, not zero, if no node answers', async () => {
      const proxy = await bench.proxy();
      proxy.treat = () => 'drop';
      const chain = bench.chain({ rpcUrl: proxy.url });
      const read = { token: world.token, wallet: world.stranger(), operator: operatorOf(chain, 'mrc_a') };
      await expect(chain.readAllowances([read])).rejects.toThrow('does not answer');
    });

    it('belong to operators that are known before they exist on the chain, one for each merchant and mode', () => {
      const [one, other] = [bench.chain(), bench.chain()];
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
    function watchOf(wallet: string, operator: string): WatchDoc {
      const { chainId, token } = world;
      return watch({ _id: `sub_${wallet}`, chainId, token, operator, wallet: world.comparable(wallet) });
    }

    it('gets an approval and arriving money, and nothing of other wallets', async () => {
      const [waiting, empty, other] = [
        await world.payer('mrc_a', { allowance: 0n }),
        await world.payer('mrc_a', { balance: 0n }),
        await world.payer('mrc_a', { allowance: 0n }),
      ];
      const chain = bench.chain();
      const operator = operatorOf(chain, 'mrc_a');
      await chain.start();
      await bench.records.insert('watches', [watchOf(waiting, operator), watchOf(empty, operator)]);
      bench.listener.wallets.length = 0;
      await world.approve(waiting, 'mrc_a', 5n);
      await world.approve(other, 'mrc_a', 5n);
      await bench.until('the approval is reported', () => bench.listener.wallets.includes(world.comparable(waiting)));
      await world.mint(empty, 5n);
      await bench.until('the money is reported', () => bench.listener.wallets.includes(world.comparable(empty)));
      expect(bench.listener.wallets).not.toContain(world.comparable(other));
    });

    it('gets events from before a restart', async () => {
      const waiting = await world.payer('mrc_a', { allowance: 0n });
      const first = bench.chain();
      await first.start();
      const cursor = async () => (await bench.records.get('chainCursors', [String(world.chainId)]))[0];
      await bench.until('the chain has been read', async () => (await cursor()) !== undefined);
      await bench.records.insert('watches', [watchOf(waiting, operatorOf(first, 'mrc_a'))]);
      await first.stop();
      await world.approve(waiting, 'mrc_a', 5n);
      bench.listener.wallets.length = 0;
      await bench.start();
      await bench.until('the approval is reported', () => bench.listener.wallets.includes(world.comparable(waiting)));
    });
  });

  describe('a process that dies', () => {
    it.each(FAULT_POINTS)('at %s leaves everything to its successor, and nothing is pulled twice', async (point) => {
      const charges = await bench.newCharges(6);
      const mortal = dyingAt(point);
      const first = bench.chain(mortal);
      const back = await someRefund(first);
      await first.start();
      await bench.charge(back.refund, ...charges);
      await bench.until('it dies', mortal.isDead);
      await first.stop();
      await bench.start();
      await bench.untilState([back.refund, ...charges], 'final');
      await bench.expectPulledOnce(...charges);
      expect([await world.balanceOf(back.refund.from), await world.balanceOf(back.receiver)]).toEqual([20n, 10n]);
      for (const charge of charges) {
        expect(bench.listener.kinds(charge)).toEqual(expect.arrayContaining(['mined', 'final']));
        expect(bench.listener.kinds(charge)).not.toContain('refused');
      }
    });

    it('continues by itself after an error at each point', async () => {
      const left = new Set<ChainFaultPoint>(FAULT_POINTS);
      await bench.start({
        fault: async (at) => {
          if (left.delete(at)) throw new Error(`fails once at ${at}`);
        },
      });
      for (let round = 0; round < 3; round += 1) {
        const charges = await bench.newCharges(2);
        await bench.settle(...charges);
        await bench.expectPulledOnce(...charges);
      }
      expect([...left]).toEqual([]);
    });

    it('loses nothing if two hold one signing queue at the same time', async () => {
      const charges = await bench.newCharges(30);
      await bench.charge(...charges);
      await Promise.all([1, 2].map(() => bench.start({ leases: EVERYBODY, charges: 4 })));
      await bench.untilState(charges, 'final');
      await bench.expectPulledOnce(...charges);
      for (const charge of charges) expect(bench.listener.kinds(charge)).not.toContain('refused');
    });
  });

  describe('a sender that fails repeatedly for an unforeseen reason', () => {
    it('is a trouble of the chain until it continues', async () => {
      const chain = await bench.start();
      bench.listener.sets = raise;
      const from = await world.payer('mrc_a', { allowance: 10n ** 9n });
      const charges = [bench.chargeOf({ from }), bench.chargeOf({ from })];
      await bench.charge(...charges);
      await bench.untilTrouble(chain, 'fails again and again; the log says why');
      bench.listener.sets = () => NOTHING_RESERVED;
      await bench.untilState(charges, 'final');
      await bench.untilWell(chain);
      await bench.expectPulledOnce(...charges);
    });
  });

  describe('an unknown result is not a failure', () => {
    it('after a node was down at the start and later: the chain waits, reports it, and catches up', async () => {
      const proxy = await bench.proxy();
      proxy.treat = () => 'drop';
      const chain = await bench.start({ rpcUrl: proxy.url });
      const charges = await bench.newCharges(3);
      await bench.charge(...charges);
      await bench.untilTrouble(chain, 'no answer');
      expect(await chain.health()).toMatchObject({ enabled: true, open: 3, head: null });
      proxy.treat = () => 'pass';
      await bench.untilState(charges, 'final');
      await bench.untilWell(chain);
      const more = await bench.newCharges(3);
      let isDown = true;
      proxy.treat = () => (isDown ? 'drop' : 'pass');
      await bench.charge(...more);
      await bench.untilTrouble(chain, /./);
      isDown = false;
      await bench.untilState(more, 'final');
      await bench.expectPulledOnce(...charges, ...more);
      for (const charge of [...charges, ...more]) expect(bench.listener.kinds(charge)).not.toContain('refused');
    });

    it.each([
      ['took the broadcast although its answer was lost', 'swallow'],
      ['took the broadcast and does not answer', 'hang'],
      ['never saw the broadcast', 'drop'],
    ] as const)('from a node that %s', async (_title, treatment) => {
      const proxy = await bench.proxy();
      let lost = 0;
      proxy.treat = (calls) => {
        if (!calls.some(isBroadcast) || lost > 2) return 'pass';
        lost += 1;
        return treatment;
      };
      await bench.start({ rpcUrl: proxy.url, timing: { rpcTimeoutMs: 600 } });
      const charges = await bench.newCharges(4);
      await bench.settle(...charges);
      expect(lost).toBeGreaterThan(0);
      await bench.expectPulledOnce(...charges);
    });

    it('of a payment that is not certain: it is notified again, and blocks no other', async () => {
      const [bad, ...good] = await bench.newCharges(4);
      if (!bad) throw new Error('no charge');
      bench.listener.onNotify = isNotCertainOf(bad);
      await bench.start();
      await bench.charge(bad, ...good);
      await bench.untilState(good, 'final');
      expect((await bench.read(bad)).state).toBe('sent');
      bench.listener.onNotify = () => {};
      await bench.untilState([bad], 'final');
      await bench.expectPulledOnce(bad, ...good);
      for (const charge of [bad, ...good]) {
        expect(bench.listener.kinds(charge).filter((kind) => kind === 'final')).toEqual(['final']);
      }
    });

    it('of a payment that cannot get its refusal: it blocks no charge of the same round', async () => {
      const good = await bench.newCharges(2);
      const poor = async () => bench.chargeOf({ from: await world.payer('mrc_a', { allowance: 0n }) });
      const [bad, other] = [await poor(), await poor()];
      bench.listener.onNotify = isNotCertainOf(bad);
      await bench.charge(bad, other, ...good);
      await bench.start();
      await bench.untilState([other], 'refused');
      await bench.untilState(good, 'final');
      expect((await bench.read(bad)).state).toBe('waiting');
      expect(bench.logged.filter(({ message }) => message.startsWith('signing queue failed'))).toEqual([]);
      bench.listener.onNotify = () => {};
      await bench.untilState([bad], 'refused');
      await bench.expectPulledOnce(...good);
      for (const charge of [bad, other]) expect(bench.listener.kinds(charge)).toEqual(['refused']);
    });

    it('reports a decided refusal from the next signing queue if the first is suspended, and nobody signs the charge', async () => {
      const from = await world.payer('mrc_a', { allowance: 0n });
      const charge = bench.chargeOf({ from });
      const first = barrier();
      bench.listener.onNotify = () => first.reach();
      await bench.charge(charge);
      await bench.start();
      await first.reached;
      bench.listener.onNotify = () => {};
      try {
        await world.approve(from, 'mrc_a', 10n ** 9n);
        await bench.start({ clock: () => new Date(Date.now() + ANOTHERS_TURN_MS) });
        await bench.untilState([charge], 'refused', 'final');
        expect(bench.listener.kinds(charge)).toEqual(['refused']);
      } finally {
        first.open();
      }
      await bench.until('the first reports it too', async () => bench.listener.kinds(charge).length === 2);
      expect(bench.listener.started).toEqual([]);
      await bench.expectNothingPulled(charge);
    });

    it('keeps a suspended signing queue from sending a charge that the next one refused', async () => {
      const [from, other] = [await world.payer('mrc_a'), await world.payer('mrc_b')];
      const charge = bench.chargeOf({ from });
      const beside = bench.chargeOf({ from: other, merchantId: 'mrc_b' });
      const first = barrier();
      await bench.charge(charge, beside);
      await bench.start({ fault: onceAt('sender.started.after', first.reach) });
      await first.reached;
      try {
        await world.approve(from, 'mrc_a', 0n);
        await bench.start({ clock: () => new Date(Date.now() + ANOTHERS_TURN_MS) });
        await bench.untilState([charge], 'refused');
        await bench.untilState([beside], 'final');
        await world.approve(from, 'mrc_a', 10n ** 9n);
      } finally {
        first.open();
      }
      const isOvertaken = () =>
        bench.logged.some((line) => /taken over|took these charges over/.test(JSON.stringify(line)));
      await bench.until('the first finds that it has been overtaken', isOvertaken, 15_000);
      const later = bench.chargeOf({ from: other, merchantId: 'mrc_b' });
      await bench.settle(later);
      expect((await bench.read(charge)).state).toBe('refused');
      await bench.expectNothingPulled(charge);
      await bench.expectPulledOnce(beside, later);
    });

    it('of a charge that fits into no transaction: it pauses, and stops no other', async () => {
      const [bad, ...good] = await bench.newCharges(4);
      if (!bad) throw new Error('no charge');
      const shares = bad.shares.map((share) => ({ ...share, to: 'nobody' }));
      await bench.charge({ ...bad, shares }, ...good);
      await bench.start();
      await bench.untilState(good, 'final');
      expect((await bench.read(bad)).state).toBe('waiting');
      expect(bench.listener.of(bad)).toEqual([]);
    });

    it('of a sender without fees: it starts nothing, reports it, and continues by itself', async () => {
      const charge = await bench.newCharge();
      const enrich = await world.impoverish();
      const chain = await bench.start();
      await bench.charge(charge);
      await bench.untilTrouble(chain, / for (gas|fees)/);
      expect(bench.listener.started).toEqual([]);
      expect((await bench.read(charge)).state).toBe('waiting');
      await enrich();
      await bench.untilState([charge], 'final');
      await bench.untilWell(chain);
    });
  });

  it('a provider that refuses batches of more than three calls lets charges settle, and its size is remembered', async () => {
    const proxy = await bench.proxy();
    const error = { message: 'Batch of more than 3 requests are not allowed on free tier', code: 31 };
    let refused = 0;
    proxy.refuse = (calls) => {
      if (calls.length <= 3) return null;
      refused += 1;
      return { status: 200, body: calls.map(({ id }) => ({ jsonrpc: '2.0', id, error })) };
    };
    const chain = await bench.start({ rpcUrl: proxy.url });
    const first = await bench.newCharge();
    await bench.settle(first);
    expect(refused).toBeGreaterThan(0);
    // From 100 calls by halves down to three; several loops may find out at the same time.
    expect(refused).toBeLessThanOrEqual(5 * 4);
    const known = refused;
    const second = await bench.newCharge();
    await bench.settle(second);
    await bench.expectPulledOnce(first, second);
    expect(refused).toBe(known);
    expect((await chain.health()).trouble).toBeNull();
  });

  describe('of two nodes', () => {
    /** A started chain on two nodes, and a charge that can be made. */
    async function twoNodes() {
      const [first, second] = [await bench.proxy(), await bench.proxy()];
      const charge = await bench.newCharge();
      return { first, second, charge, chain: await bench.start({ rpcUrl: [first.url, second.url] }) };
    }

    it('the second is asked while the first does not answer, and the first again later', async () => {
      const { first, second, chain, charge } = await twoNodes();
      first.treat = () => 'drop';
      await bench.settle(charge);
      await bench.untilTrouble(chain, `no answer from ${new URL(first.url).host} since`);
      expect((await chain.health()).trouble).not.toContain(new URL(second.url).host);
      first.heal();
      await bench.untilWell(chain);
      second.treat = () => 'drop';
      const other = await bench.newCharge();
      await bench.settle(other);
      await bench.expectPulledOnce(charge, other);
    });

    it('both get every broadcast, so that a node that drops it changes nothing', async () => {
      const { first, second, charge } = await twoNodes();
      first.replace = (call) => (isBroadcast(call) ? null : call);
      first.rewriteOne = (answer, call) => (isBroadcast(call) ? { result: '1'.repeat(64) } : answer);
      await bench.settle(charge);
      expect(second.seen.some(isBroadcast)).toBe(true);
      await bench.expectPulledOnce(charge);
    });
  });

  describe('several senders', () => {
    it('continue when one has no fees: the other does its share until the first can pay again', async () => {
      const from = await world.payer('mrc_a');
      const cycles = (count: number) =>
        Array.from({ length: count }, () => ({ ...bench.chargeOf({ from }), isCycle: true }));
      const signed = async (sender: string) => bench.records.count('transactions', { sender });
      const enrich = await world.impoverish();
      const chain = await bench.start({ senders: 2, charges: 2 });
      const charges = cycles(6);
      await bench.settle(...charges);
      const [poor, rich] = (await chain.health()).senders;
      expect([await signed(poor?.address ?? ''), await signed(rich?.address ?? '')]).toEqual([0, expect.any(Number)]);
      expect(BigInt(poor?.balance ?? -1)).toBeLessThan(BigInt(rich?.balance ?? 0));
      expect((await chain.health()).trouble).toContain(poor?.address);
      await enrich();
      await bench.untilWell(chain);
      const more = cycles(12);
      await bench.settle(...more);
      expect(await signed(poor?.address ?? '')).toBeGreaterThan(0);
      await bench.expectPulledOnce(...charges, ...more);
    });
  });

  it('several senders share many charges, each of their numbers once and without a gap', async () => {
    const payers = await Promise.all([1, 2, 3].map(() => world.payer('mrc_a')));
    const charges = payers.flatMap((from) =>
      Array.from({ length: 20 }, () => ({ ...bench.chargeOf({ from }), isCycle: true })),
    );
    await bench.charge(...charges);
    await bench.start({ senders: 2, charges: 15 });
    await bench.untilState(charges, 'final');
    const transactions = await bench.transactions();
    const senders = new Set(transactions.map(({ sender }) => sender));
    expect(senders.size).toBe(2);
    for (const sender of senders) {
      const numbers = transactions.filter((each) => each.sender === sender).map(({ nonce }) => nonce);
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    }
    await bench.expectPulledOnce(...charges);
  });

  describe('a key that was charged before', () => {
    it('by another database is reconciled from the chain, and not charged again', async () => {
      const { charge, made } = await bench.madeElsewhere();
      const { txHash, shares, gross } = made;
      await bench.start();
      const asked = charge.shares.map((share) => ({ ...share, amount: '1' }));
      await bench.charge({ ...charge, gross: '2', shares: asked });
      await bench.untilState([charge], 'final');
      expect(await bench.read(charge)).toMatchObject({ txHash, shares, gross });
      expect(bench.listener.kinds(charge).slice(0, 2)).toEqual(['mined', 'final']);
      await bench.expectPulledOnce(charge);
    });

    it.each<[what: string, said: Answered | null]>([
      ['does not show', null],
      ['refuses to show', PRUNED],
    ])('pauses as a trouble while a node %s its transaction, and blocks no other charge', async (_, said) => {
      const { charge } = await bench.madeElsewhere();
      const fresh = await bench.newCharge();
      const proxy = await bench.proxy();
      proxy.rewriteOne = (answer, { method }) => {
        const nothing = NOTHING_OLD[method];
        return nothing ? { ...answer, ...(said ?? nothing) } : answer;
      };
      const chain = await bench.start({ rpcUrl: proxy.url });
      const before = Date.now();
      await bench.charge(charge, fresh);
      await bench.untilState([fresh], 'final');
      const unread =
        /event is not found|event cannot be read: .* pruned|no node shows all transactions that name its key/;
      expect((await chain.health()).trouble).toMatch(unread);
      const { state, notBefore } = await bench.read(charge);
      expect([state, notBefore.getTime() >= before + 60_000]).toEqual(['waiting', true]);
      expect(bench.listener.of(charge)).toEqual([]);
      await bench.expectPulledOnce(charge, fresh);
    });

    it('is reconciled by a later attempt', async () => {
      await bench.start();
      const first = await bench.newCharge();
      await bench.settle(first);
      const second = bench.chargeOf({ from: first.from, key: first.key, attempt: 2 });
      await bench.settle(second);
      expect((await bench.read(second)).txHash).toBe((await bench.read(first)).txHash);
      await bench.expectPulledOnce(first);
    });

    it('ends an attempt that its payment has abandoned for the one that was made', async () => {
      await bench.start();
      const made = bench.chargeOf({ from: await world.payer('mrc_a'), attempt: 2 });
      await bench.settle(made);
      const behind = bench.chargeOf({ from: made.from, key: made.key });
      bench.listener.allows = () => false;
      bench.listener.withdrew = () => true;
      await bench.charge(behind);
      await bench.untilState([behind], 'withdrawn');
      expect(bench.listener.kinds(behind)).toEqual([]);
      await bench.expectPulledOnce(made);
    });

    it('stays as a trouble if no payment wants it and nobody follows its transaction', async () => {
      const { charge } = await bench.madeElsewhere();
      bench.listener.allows = () => false;
      bench.listener.withdrew = () => true;
      const chain = await bench.start();
      await bench.charge(charge);
      await bench.untilTrouble(chain, 'does not want it');
      expect((await bench.read(charge)).state).toBe('waiting');
      await bench.expectPulledOnce(charge);
    });
  });
}
