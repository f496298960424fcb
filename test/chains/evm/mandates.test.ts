import { hexlify, randomBytes } from 'ethers';
import { chargedTopic } from '../../../src/chains/evm/contracts/charge-logs.ts';
import { encodeChargeMany, merchantSalt } from '../../../src/chains/evm/contracts/router.ts';
import { blocksOfCharge } from '../../../src/chains/evm/reconcile-existing.ts';
import { readOutcomes } from '../../../src/chains/evm/reconciler/charge-updates.ts';
import { routerCall, toRouterCharge } from '../../../src/chains/evm/router-charge.ts';
import { receiptSchema, type WireReceipt } from '../../../src/chains/evm/wire.ts';
import type { ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import { mandateCharge } from '../support/mandates.ts';
import { useEvm } from './bench.ts';
import { mandatePayer, signedMandate } from './signed-mandates.ts';
import { MERCHANT, PLATFORM } from './world.ts';

const DAY = 86_400;

const { world, bench } = useEvm({ pumps: true });

/** Somebody else with the key of a sender makes these charges. Returns the transaction. */
async function charged(data: string, { key }: ChargeDoc): Promise<string> {
  await world.act(world.senders[1] ?? '', world.router, data);
  const filter = { fromBlock: 0, address: world.router, topics: [chargedTopic, key] };
  const [log] = await world.anvil.provider.getLogs(filter);
  return log?.transactionHash ?? '';
}

/** From, to and amount of every transfer of one transaction. */
async function moved(txHash: string | null): Promise<(readonly [string, string, bigint])[]> {
  const transfers = (await world.transfers()).filter((transfer) => transfer.txHash === txHash);
  return transfers.map(({ from, to, amount }) => [from, to, amount] as const);
}

function sentCount(): Promise<number> {
  return world.anvil.provider.getTransactionCount(world.senders[0] ?? '');
}

async function signed(change: Partial<MandateDoc> = {}) {
  const payer = await mandatePayer(world);
  return { payer, mandate: await signedMandate(world, bench.records, payer, change) };
}

/** The payer revokes the agreement of the mandate. */
async function revoke({ payer, agreement }: MandateDoc): Promise<void> {
  await world.callRouter('revoke', [merchantSalt('mrc_a', 'test'), agreement], payer);
}

describe('a charge under a mandate', () => {
  it('settles in one transaction with open charges, paid straight to each recipient', async () => {
    const first = await signed();
    const second = await signed();
    const open = [await bench.newCharge(), await bench.newCharge()];
    const bounded = [mandateCharge(world, first.mandate), mandateCharge(world, second.mandate)];
    const mixed = [bounded[0], open[0], bounded[1], open[1]].flatMap((charge) => charge ?? []);
    await bench.charge(...mixed);
    await bench.start();
    await bench.untilState(mixed, 'final');
    const hashes = new Set((await Promise.all(mixed.map((charge) => bench.read(charge)))).map(({ txHash }) => txHash));
    expect(hashes.size).toBe(1);
    const [txHash = ''] = hashes;
    const passed = open.flatMap(({ from }) => [
      [from, world.router, 10_000_000n],
      [world.router, MERCHANT, 9_900_000n],
      [world.router, PLATFORM, 100_000n],
    ]);
    const direct = bounded.flatMap(({ from }) => [
      [from, MERCHANT, 9_900_000n],
      [from, PLATFORM, 100_000n],
    ]);
    expect((await moved(txHash)).sort()).toEqual([...passed, ...direct].sort());
  });

  it('keeps its own outcome beside open charges that are refused', async () => {
    const { mandate } = await signed();
    const refused = bench.chargeOf({ from: await world.payer('mrc_a', { allowance: 0n }) });
    const revoked = await signed();
    await revoke(revoked.mandate);
    const open = await bench.newCharge();
    const bounded = mandateCharge(world, mandate);
    const ended = mandateCharge(world, revoked.mandate);
    await bench.charge(ended, bounded, refused, open);
    await bench.start();
    await bench.untilState([open, bounded], 'final');
    await bench.untilState([refused, ended], 'refused');
  });
});

describe('a charge that does not agree with its mandate', () => {
  it.each<[string, (charge: ChargeDoc, other: MandateDoc) => Partial<ChargeDoc>]>([
    ['names a mandate that is not stored', () => ({ mandate: { id: `0x${'1'.repeat(64)}`, cycle: 1 } })],
    ['names the mandate of another payer', ({ from }, other) => ({ ...mandateCharge(world, other, 2), from })],
    ['has the key of another cycle', ({ mandate }) => ({ mandate: { id: mandate?.id ?? '', cycle: 2 } })],
    ['has another amount than its shares', () => ({ gross: '9999999' })],
  ])('waits and shows under trouble, and delays no other, if it %s', async (_what, change) => {
    const { mandate } = await signed();
    const other = await signed();
    const charge = mandateCharge(world, mandate);
    const faulty = { ...charge, ...change(charge, other.mandate) };
    const sound = mandateCharge(world, other.mandate);
    await bench.charge(faulty, sound);
    const chain = await bench.start();
    await bench.untilState([sound], 'final');
    await bench.untilTrouble(chain, faulty._id);
    expect(await bench.read(faulty)).toMatchObject({ state: 'waiting', transactionId: null });
    expect(bench.listener.of(faulty)).toEqual([]);
    expect(await world.movedFrom(mandate.payer)).toEqual([]);
  });
});

/** The clock of the chain is the machine's. */
const NOW = Math.floor(Date.now() / 1_000);

describe('a refusal by the rules of a mandate', () => {
  const nothing = async () => {};
  /** The cycle 1 of this mandate is charged before. */
  const chargedOnce = (mandate: MandateDoc) => bench.settle(mandateCharge(world, mandate));

  // Each rule: `test/chains/contracts/mandates.test.ts`. Too small an allowance or balance, and who is blocked:
  // `test/chains/contract/evm-mandates.long.test.ts`.
  it.each<[string, string, Partial<MandateDoc>, (mandate: MandateDoc) => Promise<void>]>([
    ['revoked', 'insufficient_allowance', {}, revoke],
    ['bad_signature', 'insufficient_allowance', { signature: hexlify(randomBytes(65)) }, nothing],
    ['above_fee', 'pull_reverted', { feeBps: 99 }, nothing],
    ['ahead_of_rhythm', 'pull_reverted', { interval: 30 * DAY, start: NOW }, chargedOnce],
  ])('(%s) fails the attempt as %s, without a transaction', async (kind, reason, change, prepare) => {
    await bench.start();
    const { mandate } = await signed(change);
    await prepare(mandate);
    const before = await sentCount();
    const charge = mandateCharge(world, mandate, 2);
    await bench.refuse(charge);
    expect(bench.listener.of(charge)).toEqual([{ kind: 'refused', reason, landed: false }]);
    expect((await bench.read(charge)).refusal).toMatchObject({ kind, text: expect.stringMatching(/\w+ \w+/) });
    expect(await sentCount()).toBe(before);
  });
});

describe('an open charge with the key of a mandate’s cycle', () => {
  /** A thief with a sender's key takes from somebody who has approved the open operator. Returns the receipt. */
  async function forge(charge: ChargeDoc, change: Partial<ChargeDoc>): Promise<WireReceipt> {
    const txHash = await charged(encodeChargeMany([toRouterCharge({ ...charge, ...change })]), charge);
    return receiptSchema.parse(await world.rpc('eth_getTransactionReceipt', [txHash]));
  }

  const outcomeIn = (receipt: WireReceipt, charge: ChargeDoc) => readOutcomes(receipt, [charge]).get(charge._id);

  it('does not settle that cycle, which is charged all the same', async () => {
    const { mandate } = await signed();
    const charge = mandateCharge(world, mandate);
    await forge(charge, { from: await world.payer('mrc_a') });
    await bench.start();
    await bench.settle(charge);
    expect(await moved((await bench.read(charge)).txHash)).toEqual([
      [mandate.payer, MERCHANT, 9_900_000n],
      [mandate.payer, PLATFORM, 100_000n],
    ]);
  });

  it('is no outcome of that cycle if payer, merchant, token, amount or recipients differ', async () => {
    const thieves: readonly [string, (payer: string) => Promise<Partial<ChargeDoc>>][] = [
      ['payer', async () => ({ from: await world.payer('mrc_a') })],
      ['merchant', async () => ({ from: await world.payer('mrc_b'), merchantId: 'mrc_b' })],
      ['token', async () => ({ from: await world.payer('mrc_a', { token: world.usdt }), token: world.usdt })],
      ['amount', async (from) => ({ from, gross: '1', shares: [{ role: 'forward', to: MERCHANT, amount: '1' }] })],
      ['recipients', async (from) => ({ from, shares: [{ role: 'forward', to: world.owner, amount: '10000000' }] })],
    ];
    for (const [what, change] of thieves) {
      const { payer, mandate } = await signed();
      await world.approve(payer.address, 'mrc_a', 10_000_000n);
      const charge = mandateCharge(world, mandate);
      const forged = await change(payer.address);
      const receipt = await forge(charge, forged);
      expect([what, outcomeIn(receipt, charge)]).toEqual([what, undefined]);
      expect([what, outcomeIn(receipt, { ...charge, ...forged })]).toEqual([what, { kind: 'charged' }]);
    }
  });
});

describe('a cycle that was charged before', () => {
  /** The charge is made elsewhere, and the ledger does not know of it. */
  function chargeElsewhere(charge: ChargeDoc, mandate: MandateDoc, beside: readonly ChargeDoc[] = []) {
    return charged(routerCall([...beside, charge], new Map([[mandate._id, mandate]])), charge);
  }

  it.each<[string, Partial<MandateDoc>]>([
    ['seen', { interval: 0 }],
    ['used up', { interval: 0, charges: 1 }],
    ['ahead of its rhythm', { interval: 30 * DAY, start: NOW }],
  ])('is followed in its transaction, although the router now says that it is %s', async (_what, change) => {
    const { mandate } = await signed(change);
    const charge = mandateCharge(world, mandate);
    const txHash = await chargeElsewhere(charge, mandate);
    await world.mine(5);
    await bench.charge(charge);
    await bench.start();
    await bench.untilState([charge], 'final', 'refused');
    expect(await bench.read(charge)).toMatchObject({ state: 'final', txHash });
    expect(await world.movedFrom(mandate.payer)).toHaveLength(2);
  });

  it('is not followed into an open charge with its key, of the same payer, merchant, token and amount', async () => {
    const { payer, mandate } = await signed({ interval: 0 });
    const charge = mandateCharge(world, mandate);
    await world.approve(payer.address, 'mrc_a', 10_000_000n);
    const { mandate: _, ...open } = charge;
    const stolen = { ...open, shares: [{ role: 'forward', to: world.owner, amount: '10000000' }] as const };
    const txHash = await chargeElsewhere(charge, mandate, [stolen]);
    await bench.start();
    await bench.settle(charge);
    expect(await bench.read(charge)).toMatchObject({ txHash, shares: charge.shares });
  });

  it('is searched for in the logs if the node does not keep old states', async () => {
    const { mandate } = await signed({ interval: 0 });
    const charge = mandateCharge(world, mandate);
    const txHash = await chargeElsewhere(charge, mandate);
    await world.mine(20);
    const [proxy, head] = [await bench.proxy(), await world.height()];
    const error = { code: -32000, message: 'missing trie node' };
    proxy.answer('eth_call', (answer, { params: [, block] }) => (Number(block) < head ? { error } : answer));
    await bench.charge(charge);
    await bench.start({ rpcUrl: proxy.url, sizes: { logBlocks: 3 } });
    await bench.untilState([charge], 'final');
    expect((await bench.read(charge)).txHash).toBe(txHash);
    await bench.stop();
  });

  it('with another amount waits, and shows under trouble', async () => {
    const { mandate } = await signed({ interval: 0 });
    const charge = mandateCharge(world, mandate);
    const less = { ...charge, gross: '5', shares: [{ role: 'forward', to: MERCHANT, amount: '5' }] as const };
    await chargeElsewhere(less, mandate);
    await bench.charge(charge);
    const chain = await bench.start();
    await bench.untilTrouble(chain, 'it took 5 base units');
    expect(await bench.read(charge)).toMatchObject({ state: 'waiting', transactionId: null });
    expect(bench.listener.of(charge)).toEqual([]);
  });
});

describe('the chain reader', () => {
  it('tells open charges from those under mandates, in one transaction and with one key', async () => {
    const { payer, mandate } = await signed();
    await world.approve(payer.address, 'mrc_a', 10_000_000n);
    const charge = mandateCharge(world, mandate);
    const { mandate: _, ...twin } = charge;
    const open = await bench.newCharge();
    const before = await world.height();
    const txHash = await charged(routerCall([twin, open, charge], new Map([[mandate._id, mandate]])), charge);
    const reader = world.reader([world.senders[1] ?? '']);
    const options = { tenants: [], known: async () => new Set<string>() };
    for await (const { charges, others } of reader.read(before, before + 1, options)) {
      expect(others).toEqual([]);
      expect(charges.map(({ key, isBounded }) => [key, isBounded])).toEqual([
        [charge.key, false],
        [open.key, false],
        [charge.key, true],
      ]);
    }
    const evidence = await reader.evidence({ ...charge, txHash });
    const indexes = evidence?.charge.shares.map(({ index }) => index);
    expect(indexes).toEqual([(evidence?.charge.index ?? 0) - 2, (evidence?.charge.index ?? 0) - 1]);
    expect((await reader.evidence({ ...open, txHash }))?.charge.isBounded).toBe(false);
    await reader.close();
  });
});

describe('blocksOfCharge', () => {
  it.each([
    [0, 0],
    [0, 1],
    [77, 100],
    [100, 100],
    [1, 4_000],
  ])('finds block %d below head %d in few questions', async (made, head) => {
    const asked: number[] = [];
    const isCharged = async (block: number) => {
      asked.push(block);
      return block >= made;
    };
    expect(await blocksOfCharge(isCharged, head)).toEqual({ from: made, to: made });
    expect(asked.length).toBeLessThan(30);
  });

  it.each([
    [77, 90, { from: 0, to: 90 }],
    [77, 78, { from: 0, to: 78 }],
    [77, 70, { from: 77, to: 77 }],
    [77, 101, { from: 0, to: 100 }],
  ])('(%d) leaves all blocks below the oldest state %d that has it', async (made, oldest, blocks) => {
    expect(await blocksOfCharge(async (block) => (block < oldest ? null : block >= made), 100)).toEqual(blocks);
  });

  it('finds none if the cycle is not charged as of the head', async () => {
    expect(await blocksOfCharge(async () => false, 100)).toBeNull();
  });
});
