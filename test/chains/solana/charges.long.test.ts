import { createHash } from 'node:crypto';
import { type Keypair, PublicKey, TransactionInstruction, VersionedTransaction } from '@solana/web3.js';
import { heightOf } from '../../../devnet/solana/slots.ts';
import { Delegates, rootOfPublicKey, rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { toBase58 } from '../../../src/chains/solana/keys.ts';
import { referenceOf } from '../../../src/chains/solana/plan.ts';
import { MEMO_PROGRAM } from '../../../src/chains/solana/programs.ts';
import type { ChargeDoc, TransactionDoc } from '../../../src/store/collections.ts';
import { transaction } from '../../store/support/documents.ts';
import {
  createEnableRequiredMemoTransfersInstruction,
  createReallocateInstruction,
  ExtensionType,
} from '../../support/solana.ts';
import { barrier, EVERYBODY, onceAt } from '../support/faults.ts';
import { type Answered, type Called, isBroadcast, type RpcProxy } from '../support/proxy.ts';
import { type SolanaWish, useSolana } from './bench.ts';
import { mention, mentionOf } from './mentions.ts';
import { UNLIMITED } from './world.ts';

/** Tests for Solana only: blockhashes that expire, keys that exist only in transactions, one delegate per account. */
const { world, bench } = useSolana();

/** A charge whose transactions the chain drops from now on. */
async function lostCharge(wish: SolanaWish = {}): Promise<ChargeDoc> {
  const charge = await bench.newCharge();
  world.chain.drop(1_000_000);
  await bench.start(wish);
  await bench.send(charge);
  return charge;
}

/** What a transaction tells the ComputeBudget program: 2 is the limit of compute units, 3 the price of one. */
function budgetIn(raw = '', instruction: 2 | 3 = 3): bigint | undefined {
  const { message } = VersionedTransaction.deserialize(Buffer.from(raw, 'base64'));
  const data = message.compiledInstructions.find((each) => each.data[0] === instruction)?.data;
  return data && BigInt(`0x${Buffer.from(data.slice(1)).reverse().toString('hex')}`);
}

/** A transaction moves on after its charges. */
function untilTransactionsMoved(): Promise<void> {
  return bench.until(
    'no transaction is on its way',
    async () => (await bench.transactions({ state: 'signed' })).length === 0,
  );
}

/** The answer of a node that knows the status of no transaction. */
function withoutStatuses(answer: Answered, { params: [asked] }: Called): Answered {
  return { ...answer, result: { ...Object(answer.result), value: Array.isArray(asked) ? asked.map(() => null) : [] } };
}

describe('a transaction that a node refuses for its size', () => {
  const message = 'base64 encoded solana_transaction::VersionedTransaction too large: 1700 bytes (max: 1644/1232)';

  it.each(['simulateTransaction', 'sendTransaction'])(
    'is shown in health, and is made when it is accepted (%s)',
    async (method) => {
      const proxy = await bench.proxy();
      proxy.replace = (call) => (call.method === method ? null : call);
      proxy.answer(method, { error: { code: -32602, message } });
      const chain = await bench.start({ rpcUrl: proxy.url });
      const charge = await bench.newCharge();
      await bench.charge(charge);
      await bench.untilTrouble(chain, message);
      proxy.heal();
      await bench.untilState([charge], 'final');
      await bench.expectPulledOnce(charge);
      await bench.untilWell(chain);
    },
  );
});

describe('the compute units of a charge', () => {
  /** A charge to two new wallets, and a node that names this number of units. */
  async function charged(unitsConsumed: unknown, timing = {}) {
    const proxy = await bench.proxy();
    proxy.answer('simulateTransaction', ({ result }) => {
      return { result: { ...Object(result), value: { ...Object(result).value, unitsConsumed } } };
    });
    const shares = [['forward', world.stranger(), 9n] as const, ['platform', world.stranger(), 1n] as const];
    await bench.start({ rpcUrl: proxy.url, timing });
    return { proxy, charge: await bench.newCharge({ gross: 10n, shares }) };
  }

  /** From now on every transaction is in a block, with this error. */
  function fails(proxy: RpcProxy, err: unknown): void {
    world.chain.drop(1_000_000);
    proxy.answer('getSignatureStatuses', ({ result }) => {
      const { context } = Object(result);
      const status = { slot: context.slot - 10, err, confirmations: null, confirmationStatus: 'finalized' };
      return { result: { context, value: [status] } };
    });
  }

  it('is not paid for again and again if the cause is unclear: the pauses grow', async () => {
    const { proxy, charge } = await charged(0, { postponeMs: 100 });
    fails(proxy, 'Unclear');
    await bench.charge(charge);
    await bench.until('it has failed five times', async () => (await bench.read(charge)).releases === 5);
    const { notBefore, updatedAt } = await bench.read(charge);
    expect(notBefore.getTime() - updatedAt.getTime()).toBeGreaterThan(1_000);
    proxy.heal();
    world.chain.drop(0);
    await bench.untilState([charge], 'final');
    await bench.expectPulledOnce(charge);
  });

  it.each([
    [0, 125_938n],
    [100_000, 127_000n],
    [10 ** 12, 1_400_000n],
    ['many', 752_000n],
  ])('suffice at once, whatever a node names (%s)', async (named, limit) => {
    const { charge } = await charged(named);
    await bench.settle(charge);
    expect((await bench.transactionsOf(charge)).map(({ versions }) => budgetIn(versions[0]?.raw, 2))).toEqual([limit]);
    await bench.expectPulledOnce(charge);
  });

  it('are doubled up to the most that there is, at the same price, if the chain says that they ran out', async () => {
    const { proxy, charge } = await charged(0);
    fails(proxy, { InstructionError: [2, 'ProgramFailedToComplete'] });
    await bench.charge(charge);
    await bench.until('it is signed six times', async () => (await bench.transactions()).length === 6);
    proxy.heal();
    world.chain.drop(0);
    await bench.untilState([charge], 'final');
    const raws = [...new Set(proxy.seen.filter(isBroadcast).map(({ params: [raw] }) => String(raw)))].slice(0, 6);
    const limits = [125_938n, 251_876n, 503_752n, 1_007_504n, 1_400_000n, 1_400_000n];
    expect(raws.map((raw) => [budgetIn(raw, 2), budgetIn(raw, 3)])).toEqual(limits.map((limit) => [limit, undefined]));
    await bench.expectPulledOnce(charge);
  });
});

/** A node that names these values for each blockhash. */
async function naming(named: object, slot?: number) {
  const proxy = await bench.proxy();
  proxy.answer('getLatestBlockhash', ({ result }) => {
    const { context, value } = Object(result);
    return { result: { context: { ...context, ...(slot && { slot }) }, value: { ...value, ...named } } };
  });
  return proxy;
}

describe('a lost transaction', () => {
  it('is sent again unchanged, while it can land', async () => {
    const charge = await bench.newCharge();
    world.chain.drop(3);
    await bench.start();
    await bench.settle(charge);
    await untilTransactionsMoved();
    const transactions = await bench.transactionsOf(charge);
    expect(transactions).toMatchObject([
      { state: expect.stringMatching(/^final/), versions: [{ hash: expect.any(String) }] },
    ]);
    await bench.expectPulledOnce(charge);
  });

  it('is signed again only when every block that could contain it is finalized without it', async () => {
    const charge = await lostCharge();
    const [first] = await bench.transactionsOf(charge);
    world.chain.skip(151);
    await bench.untilAskedAgain(charge, 2);
    expect(await bench.transactionsOf(charge)).toHaveLength(1);
    expect((await bench.read(charge)).state).toBe('sent');

    world.chain.drop(0);
    world.letExpire();
    await bench.untilState([charge], 'final');
    await untilTransactionsMoved();
    const [expired, second] = await bench.transactionsOf(charge);
    expect(expired).toMatchObject({ _id: first?._id, state: 'expired' });
    expect(second?.state).toMatch(/^final/);
    expect(second?.versions[0]?.hash).not.toBe(first?.versions[0]?.hash);
    expect(bench.listener.kinds(charge)).toEqual(['released', 'mined', 'final']);
    expect((await bench.read(charge)).releases).toBe(1);
    await bench.expectPulledOnce(charge);
  });

  it('is signed again at four times the price up to the highest one, and health counts it', async () => {
    await lostCharge();
    for (const count of [2, 3, 4, 5, 6]) {
      world.letExpire();
      await bench.until(`it is signed again: ${count}`, async () => (await bench.transactions()).length === count);
    }
    const prices = (await bench.transactions()).map(({ versions }) => budgetIn(versions[0]?.raw));
    expect(prices).toEqual([undefined, 4_000n, 16_000n, 64_000n, 100_000n, 100_000n]);
    expect((await bench.chain().health()).senders).toMatchObject([{ expired: 5, inFlight: 1 }]);
  });

  it('is not given up early, whatever height the node named for its blockhash', async () => {
    const charge = await lostCharge({ rpcUrl: (await naming({ lastValidBlockHeight: 0 })).url });
    world.chain.skip(40);
    await bench.untilAskedAgain(charge, 4);
    expect(bench.listener.reported).toEqual([]);
  });

  it('is given up once, whatever height the node named for its blockhash', async () => {
    const charge = await lostCharge({ rpcUrl: (await naming({ lastValidBlockHeight: Number.MAX_SAFE_INTEGER })).url });
    world.chain.drop(0);
    world.letExpire();
    await bench.untilState([charge], 'final');
  });

  it('is not signed while the node names a slot for its blockhash that it has not reached', async () => {
    const node = await naming({}, Number.MAX_SAFE_INTEGER);
    const charge = await bench.newCharge();
    await bench.start({ rpcUrl: node.url });
    await bench.charge(charge);
    const isHash = ({ method }: Called) => method === 'getLatestBlockhash';
    await bench.until('it is asked again', () => node.seen.filter(isHash).length > 2);
    expect(await bench.transactionsOf(charge)).toEqual([]);
    node.heal();
    await bench.untilState([charge], 'final');
  });

  it('stays open if the node no longer knows the blocks that could contain it', async () => {
    const proxy = await bench.proxy();
    proxy.answer('getFirstAvailableBlock', (answer) => ({ ...answer, result: 10 ** 12 }));
    const charge = await lostCharge({ rpcUrl: proxy.url });
    world.letExpire();
    await bench.untilAskedAgain(charge, 4);
    expect((await bench.read(charge)).state).toBe('sent');
    expect(bench.listener.reported).toEqual([]);
    proxy.heal();
    world.chain.drop(0);
    await bench.untilState([charge], 'final');
  });

  it('stays open while a slow node does not know it', async () => {
    const proxy = await bench.proxy();
    const charge = await bench.newCharge();
    await bench.start({ rpcUrl: proxy.url });
    // It lands, and the node for statuses is behind.
    proxy.answer('getSignatureStatuses', (_, call) => {
      return withoutStatuses({ result: { context: { slot: 1 } } }, call);
    });
    await bench.send(charge);
    await bench.until('it has landed', async () => (await world.pulls(charge.from)).length > 0);
    world.letExpire();
    await bench.untilAskedAgain(charge, 4);
    expect((await bench.read(charge)).state).toBe('sent');
    proxy.heal();
    await bench.untilState([charge], 'final');
    expect(await bench.transactionsOf(charge)).toHaveLength(1);
    await bench.expectPulledOnce(charge);
  });
});

describe('a sent transaction', () => {
  /** The height of the block with this hash. */
  function heightOfHash(blockhash: string): number {
    const { slots } = world.chain;
    const now = slots.slot();
    const slot = Array.from({ length: 400 }, (_, ago) => now - ago).find((each) => slots.blockhash(each) === blockhash);
    return heightOf(slot ?? Number.NaN);
  }

  it('is stored before with its bytes, its signature and the last height at which it can land', async () => {
    const proxy = await bench.proxy();
    const charges = await Promise.all([1, 2, 3].map(() => bench.newCharge()));
    const requests: unknown[][] = [];
    const stored: Promise<TransactionDoc[]>[] = [];
    proxy.treat = (calls) => {
      const raws = calls.flatMap(({ method, params }) => (method === 'sendTransaction' ? [params[0]] : []));
      if (raws.length === 0) return 'pass';
      requests.push(raws);
      stored.push(bench.transactions());
      return 'pass';
    };
    await bench.charge(...charges);
    await bench.start({ rpcUrl: proxy.url });
    await bench.untilState(charges, 'final');
    const [raws, docs] = [requests[0] ?? [], (await stored[0]) ?? []];
    // All of them in one request.
    expect(raws).toHaveLength(3);
    const known = docs.map(({ versions, expiry }) => ({ raw: versions[0]?.raw, hash: versions[0]?.hash, expiry }));
    for (const raw of raws) {
      const { signatures, message } = VersionedTransaction.deserialize(Buffer.from(String(raw), 'base64'));
      const hash = toBase58(signatures[0] ?? new Uint8Array());
      const lastValidBlockHeight = heightOfHash(message.recentBlockhash) + 150;
      expect(known).toContainEqual({ raw, hash, expiry: { lastValidBlockHeight, fromSlot: expect.any(Number) } });
    }
  });
});

describe('a charge that another database has made', () => {
  it('is followed if the answer to storing its transaction was lost', async () => {
    const { charge } = await bench.madeElsewhere();
    const { records } = bench;
    const insert = records.insert.bind(records);
    // The answer to the repeated insert of a transaction that somebody has changed since the first.
    records.insert = async (into, docs) => {
      const verdicts = await insert(into, docs);
      return into === 'transactions' ? verdicts.map(() => ({ inserted: false, index: '_id' })) : verdicts;
    };
    await bench.start();
    await bench.settle(charge);
    expect(await bench.transactionsOf(charge)).toHaveLength(1);
    await bench.expectPulledOnce(charge);
  });
});

describe('a delegate that another service has replaced', () => {
  const other = 'BPFLoaderUpgradeab1e11111111111111111111111';

  it('is read as no allowance, and reported as replaced', async () => {
    const wallet = await world.payer('mrc_a', { balance: 100_000_000n });
    const read = { token: world.token, wallet, operator: world.operatorOf() };
    const chain = bench.chain();
    const [before] = await chain.readAllowances([read]);
    expect(before).toEqual({ allowance: UNLIMITED, balance: 100_000_000n, block: expect.any(Number) });
    await world.approveDelegate(wallet, other, 5n);
    const [after] = await chain.readAllowances([read]);
    expect(after).toMatchObject({ allowance: 0n, balance: 100_000_000n, hasOtherDelegate: true });
    await world.revoke(wallet);
    expect((await chain.readAllowances([read]))[0]).not.toHaveProperty('hasOtherDelegate');
  });

  it.each([false, true])('is an insufficient allowance, with a note for staff; in a block: %s', async (landed) => {
    const charge = await bench.newCharge();
    const replace = () => world.approveDelegate(charge.from, other, 5n);
    if (!landed) await replace();
    await bench.start(landed ? { fault: onceAt('sender.stored.before', replace) } : {});
    await bench.refuse(charge);
    expect(bench.listener.of(charge)).toEqual([{ kind: 'refused', reason: 'insufficient_allowance', landed }]);
    expect(await bench.read(charge)).toMatchObject({ reason: 'insufficient_allowance', note: 'delegate_replaced' });
    await bench.expectNothingPulled(charge);
  });
});

describe('a charge in two processes', () => {
  it('is not sent by the one that was overtaken while it signed', async () => {
    const charge = await bench.newCharge();
    const first = barrier();
    const stall = onceAt('sender.stored.before', first.reach);
    let isPast = false;
    await bench.start({
      leases: EVERYBODY,
      fault: async (point) => {
        if (point === 'sender.broadcast.after') isPast = true;
        await stall(point);
      },
    });
    await bench.charge(charge);
    await first.reached;
    // With another blockhash the second one's transaction has another signature.
    world.chain.skip(1);
    await bench.start({ leases: EVERYBODY });
    await bench.untilState([charge], 'final');
    first.open();
    await bench.until('the first has stored its own', async () => (await bench.transactionsOf(charge)).length === 2);
    // The chain refuses a transaction after its time without notice, so this test waits for the second sender.
    await bench.until('the first instance is past its broadcast', () => isPast);
    await bench.settle(await bench.newCharge());
    world.letExpire();
    const states = async () => (await bench.transactionsOf(charge)).map(({ state }) => state).sort();
    await bench.until('it is known that it can never land', async () => (await states()).includes('expired'));
    expect(await states()).toEqual(['expired', expect.stringMatching(/final/)]);
    await bench.expectPulledOnce(charge);
  });
});

describe('a charge of an expired transaction', () => {
  it('waits again, and is made', async () => {
    const charge = await bench.newCharge();
    const signed = transaction({
      _id: `txn_of_${charge._id}`,
      chainId: charge.chainId,
      sender: world.platform,
      state: 'expired',
      chargeIds: [charge._id],
    });
    await bench.records.insert('transactions', [signed]);
    await bench.charge({ ...charge, state: 'sent', transactionId: signed._id, updatedAt: new Date(0) });
    await bench.start();
    await bench.untilState([charge], 'final');
    expect(bench.listener.kinds(charge)).toEqual(['released', 'mined', 'final']);
    await bench.expectPulledOnce(charge);
  });
});

describe('a wallet that accepts only transfers with a memo', () => {
  const usdt = useSolana({ ticker: 'USDT' });

  it.each([
    ['forward', 'nobody’s account has to be made'],
    ['platform', 'nobody’s account has to be made'],
    ['forward', 'the account of the platform has to be made'],
  ] as const)('is paid as the %s, where %s', async (role, what) => {
    const strict = await strictWallet();
    const other = usdt.world.stranger();
    if (what.startsWith('nobody')) await usdt.world.mint(other, 1n);
    const before = await usdt.world.balanceOf(other);
    const [merchant, platform] = role === 'forward' ? [strict, other] : [other, strict];
    const charge = await usdt.bench.newCharge({
      shares: [
        ['forward', merchant, 9_900_000n],
        ['platform', platform, 100_000n],
      ],
    });
    await usdt.bench.start();
    await usdt.bench.settle(charge);
    const [mine, others] = role === 'forward' ? [9_900_000n, 100_000n] : [100_000n, 9_900_000n];
    expect(await usdt.world.balanceOf(strict)).toBe(mine);
    expect(await usdt.world.balanceOf(other)).toBe(before + others);
  });

  /** A wallet whose account for USDT requires memos, and is empty. */
  async function strictWallet(): Promise<string> {
    const { user } = usdt.world;
    const wallet = await usdt.world.payer('mrc_a', { balance: 0n, allowance: 0n });
    const owner = usdt.world.keyOf(wallet);
    const [account, program] = [user.accountOf(wallet, 'USDT'), user.program('USDT')];
    const extensions = [ExtensionType.MemoTransfer];
    await user.act(
      [
        createReallocateInstruction(account, owner.publicKey, extensions, owner.publicKey, [], program),
        createEnableRequiredMemoTransfersInstruction(account, owner.publicKey, [], program),
      ],
      owner,
    );
    return wallet;
  }
});

describe('the key of a charge', () => {
  const mentionOfCharge = (charge: ChargeDoc, number = 0) => mentionOf([referenceOf(world, charge.key)], number);

  const newLiar = (): Promise<Keypair> => world.user.newPayer(1n);

  it('is in the memo, signed by the delegate, and finds its transactions', async () => {
    const charge = await bench.newCharge();
    await bench.start();
    await bench.settle(charge);
    const reference = new PublicKey(referenceOf(world, charge.key));
    const found = await world.user.connection.getSignaturesForAddress(reference, {}, 'confirmed');
    expect(found).toMatchObject([{ signature: (await bench.read(charge)).txHash, err: null }]);
    expect(found[0]?.memo).toContain(`tideline:${charge.key}`);
  });

  it.each([0, 1])("in another sender's transaction, of version %i, does not count as a charge", async (version) => {
    const charge = await bench.newCharge();
    const memo = new TransactionInstruction({
      programId: new PublicKey(MEMO_PROGRAM),
      keys: [],
      data: Buffer.from(`tideline:${charge.key}`),
    });
    await world.showAs(await world.user.act([memo, mentionOfCharge(charge)], await newLiar()), version);
    await bench.start();
    await bench.settle(charge);
    await bench.expectPulledOnce(charge);
  });

  it('is found behind 1,001 later mentions by others', async () => {
    const { charge, made } = await bench.madeElsewhere();
    await mention(world, await newLiar(), [referenceOf(world, charge.key)], 1_001);
    await bench.start();
    await bench.settle(charge);
    expect((await bench.read(charge)).txHash).toBe(made.txHash);
    await bench.expectPulledOnce(charge);
  });

  it('is not signed for while others have mentioned it more often than a node lists', async () => {
    const charge = await bench.newCharge();
    const signature = await world.user.act([mentionOfCharge(charge)], await newLiar());
    const proxy = await bench.proxy();
    proxy.answer('getSignaturesForAddress', { result: Array(1_000).fill({ signature, slot: 1, err: null }) });
    const chain = await bench.start({ rpcUrl: proxy.url });
    await bench.charge(charge);
    await bench.untilTrouble(chain, 'may have been made');
    expect(await bench.read(charge)).toMatchObject({ state: 'waiting', transactionId: null });
    expect(await bench.transactionsOf(charge)).toEqual([]);
  });

  it('gives another address without the seed: nobody else can mention a charge before it is made', () => {
    const key = `0x${createHash('sha256').update('a charge').digest('hex')}`;
    const other = { delegates: new Delegates(rootOfSeed(Buffer.alloc(32, 9))) };
    expect(
      new Set([referenceOf(world, key), referenceOf(other, key), toBase58(Buffer.from(key.slice(2), 'hex'))]).size,
    ).toBe(3);
    const keyless = { delegates: new Delegates(rootOfPublicKey(rootOfSeed(world.facts.operatorSeed).publicKey)) };
    expect(() => referenceOf(keyless, key)).toThrow('has no OPERATOR_SEED');
  });
});

describe('a final charge', () => {
  async function finalCharge() {
    const proxy = await bench.proxy();
    const charge = await bench.newCharge();
    await bench.start({ rpcUrl: proxy.url });
    await bench.settle(charge);
    return { proxy, charge };
  }

  it('is not reorged out if a node gives no status for it but still lists it under its key', async () => {
    const { proxy, charge } = await finalCharge();
    proxy.answer('getSignatureStatuses', withoutStatuses);
    world.letExpire();
    await bench.untilAskedAgain(charge, 3);
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final']);
    proxy.heal();
    await bench.untilReported(charge, 'finalized');
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'finalized']);
  });

  it('is reported as reorged out if the chain has dropped it for good', async () => {
    const { proxy, charge } = await finalCharge();
    proxy.dropsBroadcasts = true;
    proxy.rewriteOne = (answer, call) => {
      if (call.method === 'getSignaturesForAddress') return { ...answer, result: [] };
      return call.method === 'getSignatureStatuses' ? withoutStatuses(answer, call) : answer;
    };
    world.letExpire();
    await bench.untilReported(charge, 'reorged');
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'reorged']);
    await bench.untilState([charge], 'refused');
  });
});

describe('a refusal before any signature', () => {
  it("of a share to a token account's own address, from which nobody could take it", async () => {
    const to = world.user.accountOf(world.merchant).toBase58();
    const charge = await bench.newCharge({ shares: [['forward', to, 10_000_000n]] });
    await bench.start();
    await bench.refuse(charge);
    expect(bench.listener.of(charge)).toEqual([{ kind: 'undeliverable', reason: 'forward_reverted' }]);
    await bench.expectNothingPulled(charge);
  });
});
