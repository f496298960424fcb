import { createHash } from 'node:crypto';
import { Keypair, PublicKey, TransactionInstruction, VersionedTransaction } from '@solana/web3.js';
import { heightOf } from '../../../devnet/solana/slots.ts';
import { toBase58 } from '../../../src/chains/solana/base58.ts';
import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { referenceOf } from '../../../src/chains/solana/plan.ts';
import { MEMO_PROGRAM } from '../../../src/chains/solana/programs.ts';
import type { ChargeDoc, TransactionDoc } from '../../../src/store/collections.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import type { RecordStore } from '../../../src/store/port.ts';
import {
  callSolana,
  createEnableRequiredMemoTransfersInstruction,
  createReallocateInstruction,
  ExtensionType,
  type LocalSolana,
  SolanaUser,
  startLocalSolana,
} from '../../support/solana.ts';
import { type RpcProxy, startProxy } from '../evm/proxy.ts';
import { SolanaBench, solanaCharge, walletOf } from './bench.ts';

/** Tests for Solana only: blockhashes that expire, keys that exist only in transactions, one delegate per account. */
let local: LocalSolana;
let user: SolanaUser;
let bench: SolanaBench;
let proxy: RpcProxy | undefined;

beforeAll(async () => {
  local = await startLocalSolana();
  user = new SolanaUser(local.world);
});
afterEach(async () => {
  local.chain.drop(0);
  local.chain.hold(false);
  await bench?.stop();
  await proxy?.stop();
  proxy = undefined;
});
afterAll(() => local?.stop());

const UNLIMITED = 2n ** 64n - 1n;

function operatorOf(merchantId = 'mrc_a'): string {
  return new Delegates(rootOfSeed(local.world.operatorSeed)).of({ merchantId, mode: 'test' }, false).address;
}

async function payer(amount = 100_000_000n): Promise<Keypair> {
  const key = await user.newPayer(amount);
  await user.approve(key, operatorOf(), UNLIMITED);
  return key;
}

async function chargeOf(key: Keypair): Promise<ChargeDoc> {
  return solanaCharge(local.world, { from: key.publicKey.toBase58() });
}

async function transactionsOf(charge: ChargeDoc): Promise<TransactionDoc[]> {
  const where = { chargeIds: charge._id };
  return bench.records.find('transactions', { where, sort: [['nonce', 1]], limit: 50 });
}

/** More slots than the life of a blockhash, all of them finalized. */
function letExpire(): void {
  local.chain.skip(150 + 32 + 2);
}

function heightOfHash(blockhash: string): number {
  const { slots } = local.chain;
  const now = slots.slot();
  const slot = Array.from({ length: 400 }, (_, ago) => now - ago).find((each) => slots.blockhash(each) === blockhash);
  return heightOf(slot ?? Number.NaN);
}

describe('a transaction that a node refuses for its size', () => {
  const message = 'base64 encoded solana_transaction::VersionedTransaction too large: 1700 bytes (max: 1644/1232)';

  it.each(['simulateTransaction', 'sendTransaction'])(
    'is shown in health, and is made when it is accepted (%s)',
    async (method) => {
      bench = new SolanaBench(local);
      proxy = await startProxy(local.rpcUrl);
      let isTaken = false;
      proxy.replace = (call) => (call.method === method && !isTaken ? null : call);
      proxy.rewriteOne = (answer, call) =>
        call.method === method && !isTaken ? { error: { code: -32602, message } } : answer;
      const key = await payer();
      const charge = await chargeOf(key);
      const chain = bench.chain({ rpcUrl: proxy.url });
      await chain.start();
      await bench.charge(charge);
      await bench.until(
        'health shows the message',
        async () => (await chain.health()).trouble?.includes(message) ?? false,
      );
      isTaken = true;
      await bench.untilState([charge], 'final');
      expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
      await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
    },
  );
});

describe('a lost transaction', () => {
  it('is sent again unchanged, while it can land', async () => {
    bench = new SolanaBench(local);
    const key = await payer();
    const charge = await chargeOf(key);
    local.chain.drop(3);
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(await transactionsOf(charge)).toMatchObject([{ state: 'final', versions: [{ hash: expect.any(String) }] }]);
    expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  });

  it('is signed again only when every block that could contain it is finalized without it', async () => {
    bench = new SolanaBench(local);
    const key = await payer();
    const charge = await chargeOf(key);
    local.chain.drop(1_000_000);
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    const [first] = await transactionsOf(charge);
    local.chain.skip(151);
    const asked = async () => (await transactionsOf(charge))[0]?.asked ?? 0;
    const before = await asked();
    await bench.until('the node was asked about it twice more', async () => (await asked()) >= before + 2);
    expect(await transactionsOf(charge)).toHaveLength(1);
    expect((await bench.read(charge)).state).toBe('sent');

    local.chain.drop(0);
    letExpire();
    await bench.untilState([charge], 'final');
    const [expired, second] = await transactionsOf(charge);
    expect(expired).toMatchObject({ _id: first?._id, state: 'expired' });
    expect(second).toMatchObject({ state: 'final' });
    expect(second?.versions[0]?.hash).not.toBe(first?.versions[0]?.hash);
    expect(bench.listener.kinds(charge)).toEqual(['released', 'mined', 'final']);
    expect((await bench.read(charge)).releases).toBe(1);
    expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  });

  it('is refused without a movement if its payer has revoked the allowance', async () => {
    bench = new SolanaBench(local);
    const key = await payer();
    const charge = await chargeOf(key);
    local.chain.drop(1_000_000);
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    local.chain.drop(0);
    local.chain.hold(true);
    letExpire();
    local.chain.hold(false);
    await user.revoke(key);
    await bench.untilState([charge], 'refused');
    expect(bench.listener.of(charge)).toEqual([
      { kind: 'released' },
      { kind: 'refused', reason: 'insufficient_allowance', landed: false },
    ]);
    expect(await user.balanceOf(key.publicKey)).toBe(100_000_000n);
  });

  it('stays open if the node no longer knows the blocks that could contain it', async () => {
    bench = new SolanaBench(local);
    proxy = await startProxy(local.rpcUrl);
    proxy.rewrite = (answer, calls) => rewritten(answer, calls, 'getFirstAvailableBlock', () => 10 ** 12);
    const charge = await chargeOf(await payer());
    local.chain.drop(1_000_000);
    await bench.chain({ rpcUrl: proxy.url }).start();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    letExpire();
    const asked = async () => (await transactionsOf(charge))[0]?.asked ?? 0;
    const before = await asked();
    await bench.until('the node was asked about it several times', async () => (await asked()) >= before + 4);
    expect((await bench.read(charge)).state).toBe('sent');
    expect(bench.listener.reported).toEqual([]);
    proxy.rewrite = (answer) => answer;
    local.chain.drop(0);
    await bench.untilState([charge], 'final');
  });

  it('stays open while a slow node does not know it', async () => {
    bench = new SolanaBench(local);
    proxy = await startProxy(local.rpcUrl);
    const key = await payer();
    const charge = await chargeOf(key);
    await bench.chain({ rpcUrl: proxy.url }).start();
    // It lands, and the node for statuses is behind.
    proxy.rewrite = (answer, calls) =>
      rewritten(answer, calls, 'getSignatureStatuses', (_value, params) => ({
        context: { slot: 1 },
        value: Array.isArray(params[0]) ? params[0].map(() => null) : [],
      }));
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    await bench.until('it has landed', async () => (await user.balanceOf(key.publicKey)) === 90_000_000n);
    letExpire();
    const asked = async () => (await transactionsOf(charge))[0]?.asked ?? 0;
    const before = await asked();
    await bench.until('the node was asked about it several times', async () => (await asked()) >= before + 4);
    expect((await bench.read(charge)).state).toBe('sent');
    proxy.rewrite = (answer) => answer;
    await bench.untilState([charge], 'final');
    expect(await transactionsOf(charge)).toHaveLength(1);
    expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  });
});

describe('a sent transaction', () => {
  it('is stored before with its bytes, its signature and the last height at which it can land', async () => {
    bench = new SolanaBench(local);
    proxy = await startProxy(local.rpcUrl);
    const charges = await Promise.all([1, 2, 3].map(async () => chargeOf(await payer())));
    const requests: unknown[][] = [];
    const stored: Promise<TransactionDoc[][]>[] = [];
    proxy.treat = (calls) => {
      const raws = calls.flatMap(({ method, params }) => (method === 'sendTransaction' ? [params[0]] : []));
      if (raws.length === 0) return 'pass';
      requests.push(raws);
      stored.push(Promise.all(charges.map(transactionsOf)));
      return 'pass';
    };
    await bench.charge(...charges);
    await bench.chain({ rpcUrl: proxy.url }).start();
    await bench.untilState(charges, 'final');
    const [raws, docs] = [requests[0] ?? [], (await stored[0])?.flat() ?? []];
    // All of them in one request.
    expect(raws).toHaveLength(3);
    const known = docs.map(({ versions, expiry }) => ({ raw: versions[0]?.raw, hash: versions[0]?.hash, expiry }));
    for (const raw of raws) {
      const { signatures, message } = VersionedTransaction.deserialize(Buffer.from(String(raw), 'base64'));
      const hash = toBase58(signatures[0] ?? new Uint8Array());
      const expiry = {
        lastValidBlockHeight: heightOfHash(message.recentBlockhash) + 150,
        fromSlot: expect.any(Number),
      };
      expect(known).toContainEqual({ raw, hash, expiry });
    }
  });
});

describe('a charge that another database has made', () => {
  async function madeElsewhere(): Promise<{ readonly key: Keypair; readonly charge: ChargeDoc }> {
    bench = new SolanaBench(local);
    const key = await payer();
    const charge = await chargeOf(key);
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    await bench.stop();
    return { key, charge };
  }

  it.each([
    ['shown', { result: null }],
    ['given', { error: { code: -32_000, message: 'history is not available' }, result: undefined }],
  ])('pauses while its transaction is not %s, shows as a trouble, and blocks no other charge', async (_, said) => {
    const { key, charge } = await madeElsewhere();
    const fresh = await chargeOf(await payer());
    proxy = await startProxy(local.rpcUrl);
    proxy.rewriteOne = (answer, { method }) => (method === 'getTransaction' ? { ...answer, ...said } : answer);
    bench = new SolanaBench(local);
    const chain = bench.chain({ rpcUrl: proxy.url });
    await chain.start();
    const before = Date.now();
    await bench.charge(charge, fresh);
    await bench.untilState([fresh], 'final');
    expect((await chain.health()).trouble).toContain('no node shows all transactions that name its key');
    const doc = await bench.read(charge);
    expect(doc.state).toBe('waiting');
    expect(doc.notBefore.getTime()).toBeGreaterThanOrEqual(before + 60_000);
    expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  });

  it('is followed if the answer to storing its transaction was lost', async () => {
    const { key, charge } = await madeElsewhere();
    bench = new SolanaBench(local, losingAnswers(openMemoryStore().records));
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(await transactionsOf(charge)).toHaveLength(1);
    expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  });
});

/** The store's answer to the repeated insert of a transaction that somebody has changed since the first. */
function losingAnswers(records: RecordStore): RecordStore {
  const insert: RecordStore['insert'] = async (into, docs) => {
    const verdicts = await records.insert(into, docs);
    return into === 'transactions' ? verdicts.map(() => ({ inserted: false, index: '_id' })) : verdicts;
  };
  return new Proxy(records, {
    get: (target, name) => {
      if (name === 'insert') return insert;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('a delegate that another service has replaced', () => {
  const other = Keypair.generate().publicKey.toBase58();

  it('is read as no allowance, and reported as replaced', async () => {
    bench = new SolanaBench(local);
    const key = await payer();
    const read = { token: user.mint().toBase58(), wallet: key.publicKey.toBase58(), operator: operatorOf() };
    const chain = bench.chain();
    const [before] = await chain.readAllowances([read]);
    expect(before).toEqual({ allowance: UNLIMITED, balance: 100_000_000n, block: expect.any(Number) });
    await user.approve(key, other, 5n);
    const [after] = await chain.readAllowances([read]);
    expect(after).toMatchObject({ allowance: 0n, balance: 100_000_000n, hasOtherDelegate: true });
    await user.revoke(key);
    expect((await chain.readAllowances([read]))[0]).not.toHaveProperty('hasOtherDelegate');
  });

  it.each([false, true])('is an insufficient allowance, with a note for staff; in a block: %s', async (landed) => {
    bench = new SolanaBench(local);
    const key = await payer();
    const charge = await chargeOf(key);
    if (!landed) await user.approve(key, other, 5n);
    let replaced = !landed;
    const fault = async (point: string): Promise<void> => {
      if (point !== 'sender.stored.before' || replaced) return;
      replaced = true;
      await user.approve(key, other, 5n);
    };
    await bench.chain({ fault }).start();
    await bench.charge(charge);
    await bench.untilState([charge], 'refused');
    expect(bench.listener.of(charge)).toEqual([{ kind: 'refused', reason: 'insufficient_allowance', landed }]);
    expect(await bench.read(charge)).toMatchObject({ reason: 'insufficient_allowance', note: 'delegate_replaced' });
    expect(await user.balanceOf(key.publicKey)).toBe(100_000_000n);
  });
});

describe('a charge in two processes', () => {
  it('is not sent by the one that was overtaken while it signed', async () => {
    bench = new SolanaBench(local);
    const key = await payer();
    const charge = await chargeOf(key);
    const everybody = { take: async () => true, release: async () => {} };
    let letGo: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let stalled = false;
    let isPast = false;
    const slow = bench.chain({
      leases: everybody,
      fault: async (point) => {
        if (point === 'sender.broadcast.after') isPast = true;
        if (point !== 'sender.stored.before' || stalled) return;
        stalled = true;
        await held;
      },
    });
    await slow.start();
    await bench.charge(charge);
    await bench.until('the first has taken it, and hangs', () => stalled);
    // With another blockhash the second one's transaction has another signature.
    local.chain.skip(1);
    await bench.chain({ leases: everybody }).start();
    await bench.untilState([charge], 'final');
    letGo();
    await bench.until('the first has stored its own', async () => (await transactionsOf(charge)).length === 2);
    // The chain refuses a transaction after its time without notice, so this test waits for the second sender.
    await bench.until('the first instance is past its broadcast', () => isPast);
    const later = await chargeOf(await payer());
    await bench.charge(later);
    await bench.untilState([later], 'final');
    letExpire();
    await bench.until('it is known that it can never land', async () =>
      (await transactionsOf(charge)).some(({ state }) => state === 'expired'),
    );
    expect((await transactionsOf(charge)).map(({ state }) => state).sort()).toEqual([
      'expired',
      expect.stringMatching(/final/),
    ]);
    expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  });
});

describe('a charge of an expired transaction', () => {
  it('waits again, and is made', async () => {
    bench = new SolanaBench(local);
    const key = await payer();
    const charge = await chargeOf(key);
    const transaction = { ...orphanedTransaction(charge), state: 'expired' as const };
    await bench.records.insert('transactions', [transaction]);
    await bench.charge({ ...charge, state: 'sent', transactionId: transaction._id, updatedAt: new Date(0) });
    await bench.chain().start();
    await bench.untilState([charge], 'final');
    expect(bench.listener.kinds(charge)).toEqual(['released', 'mined', 'final']);
    expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  });

  function orphanedTransaction(charge: ChargeDoc): TransactionDoc {
    const at = new Date();
    return {
      _id: `txn_of_${charge._id}`,
      chainId: charge.chainId,
      sender: local.world.platform,
      nonce: 0,
      state: 'signed',
      versions: [{ hash: 'h', raw: '', maxFeePerGas: '0', maxPriorityFeePerGas: '0', at }],
      chargeIds: [charge._id],
      block: null,
      txHash: null,
      reverted: false,
      askAt: at,
      asked: 0,
      createdAt: at,
      updatedAt: at,
    };
  }
});

describe('a wallet that accepts only transfers with a memo', () => {
  it.each([
    ['merchant', 'nobody’s account has to be made'],
    ['platform', 'nobody’s account has to be made'],
    ['merchant', 'the account of the platform has to be made'],
  ] as const)('is paid as the %s, where %s', async (role, what) => {
    bench = new SolanaBench(local);
    const [strict, other] = [await strictWallet(), await user.newPayer(1n)];
    const key = await user.newPayer(100_000_000n, 'USDT');
    await user.approve(key, operatorOf(), UNLIMITED, 'USDT');
    const existing = what.startsWith('nobody') ? other.publicKey : Keypair.generate().publicKey;
    if (what.startsWith('nobody')) await user.mintTo(other.publicKey, 1n, 'USDT');
    const before = (await user.balanceOf(existing, 'USDT')) ?? 0n;
    const [merchant, platform] = role === 'merchant' ? [strict.publicKey, existing] : [existing, strict.publicKey];
    const charge = solanaCharge(local.world, {
      from: key.publicKey.toBase58(),
      ticker: 'USDT',
      shares: [
        ['forward', merchant.toBase58(), 9_900_000n],
        ['platform', platform.toBase58(), 100_000n],
      ],
    });
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(await user.balanceOf(merchant, 'USDT')).toBe(role === 'merchant' ? 9_900_000n : before + 9_900_000n);
    expect(await user.balanceOf(platform, 'USDT')).toBe(role === 'platform' ? 100_000n : before + 100_000n);
  });

  /** A wallet whose account for USDT requires memos, and is empty. */
  async function strictWallet(): Promise<Keypair> {
    const owner = await user.newPayer(0n, 'USDT');
    const [account, program] = [user.accountOf(owner.publicKey, 'USDT'), user.program('USDT')];
    const room = [ExtensionType.MemoTransfer];
    await user.act(
      [
        createReallocateInstruction(account, owner.publicKey, room, owner.publicKey, [], program),
        createEnableRequiredMemoTransfersInstruction(account, owner.publicKey, [], program),
      ],
      owner,
    );
    return owner;
  }
});

describe('the key of a charge', () => {
  it('is in the memo, signed by the delegate, and finds its transactions', async () => {
    bench = new SolanaBench(local);
    const charge = await chargeOf(await payer());
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    const reference = new PublicKey(referenceOf(charge.key));
    const found = await user.connection.getSignaturesForAddress(reference, {}, 'confirmed');
    expect(found).toMatchObject([{ signature: (await bench.read(charge)).txHash, err: null }]);
    expect(found[0]?.memo).toContain(`tideline:${charge.key}`);
  });

  it.each([0, 1])("in another sender's transaction, of version %i, does not count as a charge", async (version) => {
    const key = await payer();
    const charge = await chargeOf(key);
    const liar = await user.newPayer(1n);
    const memo = new TransactionInstruction({
      programId: new PublicKey(MEMO_PROGRAM),
      keys: [],
      data: Buffer.from(`tideline:${charge.key}`),
    });
    const named = await user.act([memo, mentionOf(charge)], liar);
    await callSolana(local.rpcUrl, 'tideline_showAs', [named, version]);
    bench = new SolanaBench(local);
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  });

  it('is found behind all later mentions by others', async () => {
    const key = await payer();
    const charge = await chargeOf(key);
    bench = new SolanaBench(local);
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    const { txHash } = await bench.read(charge);
    await bench.stop();
    const liar = await user.newPayer(1n);
    const mentions = Array.from({ length: 60 }, (_, units) => user.act([mentionOf(charge, units)], liar));
    await Promise.all(mentions);
    bench = new SolanaBench(local);
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect((await bench.read(charge)).txHash).toBe(txHash);
    expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  });

  it('is not signed for while others have mentioned it more often than a node lists', async () => {
    const key = await payer();
    const charge = await chargeOf(key);
    const signature = await user.act([mentionOf(charge)], await user.newPayer(1n));
    proxy = await startProxy(local.rpcUrl);
    proxy.rewriteOne = (answer, { method }) => {
      const mention = { signature, slot: 1, err: null };
      return method === 'getSignaturesForAddress' ? { ...answer, result: Array(1_000).fill(mention) } : answer;
    };
    bench = new SolanaBench(local);
    const chain = bench.chain({ rpcUrl: proxy.url });
    await chain.start();
    await bench.charge(charge);
    await bench.until(
      'health shows the trouble',
      async () => (await chain.health()).trouble?.includes('may have been made') ?? false,
    );
    expect(await bench.read(charge)).toMatchObject({ state: 'waiting', transactionId: null });
    expect(await transactionsOf(charge)).toEqual([]);
  });
});

/** Mentions the address of a charge's key, as anybody can; each number gives another transaction. */
function mentionOf(charge: ChargeDoc, units = 0): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey('ComputeBudget111111111111111111111111111111'),
    keys: [{ pubkey: new PublicKey(referenceOf(charge.key)), isSigner: false, isWritable: false }],
    data: Buffer.from([2, units, 32, 0, 0]),
  });
}

describe('a final charge', () => {
  it('is not reorged out if a node gives no status for it but still lists it under its key', async () => {
    bench = new SolanaBench(local);
    proxy = await startProxy(local.rpcUrl);
    const charge = await chargeOf(await payer());
    await bench.chain({ rpcUrl: proxy.url }).start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    proxy.rewrite = (answer, calls) =>
      rewritten(answer, calls, 'getSignatureStatuses', (value, params) => ({
        ...(typeof value === 'object' ? value : {}),
        value: Array.isArray(params[0]) ? params[0].map(() => null) : [],
      }));
    letExpire();
    const asked = async () => (await transactionsOf(charge))[0]?.asked ?? 0;
    const before = await asked();
    await bench.until('the node was asked about it twice, or it has expired', async () => {
      return (await asked()) >= before + 3 || (await transactionsOf(charge))[0]?.state === 'expired';
    });
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final']);
    proxy.rewrite = (answer) => answer;
    await bench.until('it is finalized', () => bench.listener.kinds(charge).includes('finalized'));
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'finalized']);
  });

  it('is reported as reorged out if the chain has dropped it for good', async () => {
    bench = new SolanaBench(local);
    proxy = await startProxy(local.rpcUrl);
    const charge = await chargeOf(await payer());
    await bench.chain({ rpcUrl: proxy.url }).start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    proxy.treat = (calls) => (calls.some(({ method }) => method === 'sendTransaction') ? 'drop' : 'pass');
    proxy.rewrite = (answer, calls) => {
      const noStatus = rewritten(answer, calls, 'getSignatureStatuses', (value, params) => ({
        ...(typeof value === 'object' ? value : {}),
        value: Array.isArray(params[0]) ? params[0].map(() => null) : [],
      }));
      return rewritten(noStatus, calls, 'getSignaturesForAddress', () => []);
    };
    letExpire();
    await bench.until('the reorganisation is reported', () => bench.listener.kinds(charge).includes('reorged'));
    expect(bench.listener.kinds(charge)).toEqual(['mined', 'final', 'reorged']);
    await bench.untilState([charge], 'refused');
  });
});

describe('a refusal before any signature', () => {
  it("of a share to a token account's own address, from which nobody could take it", async () => {
    bench = new SolanaBench(local);
    const key = await payer();
    const to = user.accountOf(user.wallet('merchant').publicKey).toBase58();
    const charge = solanaCharge(local.world, {
      from: key.publicKey.toBase58(),
      shares: [['forward', to, 10_000_000n]],
    });
    await bench.chain().start();
    await bench.charge(charge);
    await bench.untilState([charge], 'refused');
    expect(bench.listener.of(charge)).toEqual([{ kind: 'undeliverable', reason: 'forward_reverted' }]);
    expect(await user.balanceOf(key.publicKey)).toBe(100_000_000n);
  });

  it('of a charge that fits into no transaction: it pauses, and stops no other', async () => {
    bench = new SolanaBench(local);
    const key = await payer();
    const [good, bad] = [await chargeOf(key), await chargeOf(key)];
    const shares = bad.shares.map((share) => ({ ...share, to: 'nobody' }));
    await bench.charge({ ...bad, shares }, good);
    await bench.chain().start();
    await bench.untilState([good], 'final');
    expect((await bench.read(bad)).state).toBe('waiting');
    expect(bench.logged).toContainEqual(
      expect.objectContaining({ message: 'charge cannot be made; it is tried again in a minute' }),
    );
  });
});

describe('the queues', () => {
  it('of two fee payers share 60 charges, each of their numbers once', async () => {
    bench = new SolanaBench(local);
    const payers = await Promise.all([1, 2, 3].map(() => payer(1_000_000_000n)));
    const charges = payers.flatMap((key) =>
      Array.from({ length: 20 }, () => ({
        ...solanaCharge(local.world, { from: key.publicKey.toBase58() }),
        isCycle: true,
      })),
    );
    await bench.charge(...charges);
    await bench.chain({ senders: 2, sizes: { charges: 15 } }).start();
    await bench.untilState(charges, 'final');
    const transactions = await bench.records.find('transactions', { where: {}, limit: 1_000 });
    const senders = new Set(transactions.map(({ sender }) => sender));
    expect(senders.size).toBe(2);
    const places = transactions.map(({ sender, nonce }) => `${sender}:${nonce}`);
    expect(new Set(places).size).toBe(60);
    expect(await Promise.all(payers.map(({ publicKey }) => user.balanceOf(publicKey)))).toEqual(
      payers.map(() => 800_000_000n),
    );
  });
});

describe('the address of a charge', () => {
  it('is its key, and nothing else is one', () => {
    const key = `0x${createHash('sha256').update('a charge').digest('hex')}`;
    expect(new PublicKey(referenceOf(key)).toBuffer().toString('hex')).toBe(key.slice(2));
    expect(() => referenceOf('0x12')).toThrow('0x12 is no charge key');
    expect(walletOf(local.world, 'platform')).toBe(local.world.platform);
  });
});

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The answers to calls of one method, replaced. */
function rewritten(
  answer: unknown,
  calls: readonly Call[],
  method: string,
  change: (result: unknown, params: readonly unknown[]) => unknown,
): unknown {
  const ids = new Map(calls.flatMap((call) => ('id' in call ? [[call.id, call]] : [])));
  const one = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null || !('id' in item) || !('result' in item)) return item;
    const call = ids.get(item.id);
    return call?.method === method ? { ...item, result: change(item.result, call.params) } : item;
  };
  return Array.isArray(answer) ? answer.map(one) : one(answer);
}
