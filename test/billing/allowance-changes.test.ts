import { getAddress } from 'ethers';
import { OPEN } from '../../src/chains/consent.ts';
import type { ChargeFact, ChargeListener } from '../../src/chains/port.ts';
import { subscriptionContextOf } from '../../src/model/subscription.ts';
import type { ChargeDoc } from '../../src/store/collections.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { InProcessService } from '../../stage/in-process-service.ts';
import { type ScriptedChain, scriptedChain } from '../../stage/scripted-chain.ts';
import { insertActors } from '../store/support/documents.ts';
import { ALICE, BOB, monthly, offerBody, paymentBody } from '../support/bodies.ts';
import { type HttpHarness, idOf, priceIdOf, startHttp } from '../support/http.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';
import { PLAYED_TOKEN } from '../support/settled-payment.ts';

/** Ten tokens in base units. */
const CHARGE = 10_000_000n;

const HASHES = { forwardTxHash: '0xaa', platformTransferTxHash: '0xaa', distributeTxHash: null };

let http: HttpHarness;
let billing: InProcessService;
let chain: ScriptedChain;
let listener: Pick<ChargeListener, 'start' | 'notify'>;
let merchant: MerchantOverHttp;
/** The allowance of each wallet, and the newest block of the chain. */
let allowed: Map<string, bigint>;
let head: number;
/** The block of the node that answers reads of allowances; null: the newest. */
let nodeHead: number | null;

beforeEach(async () => {
  chain = scriptedChain();
  chain.parseAddress = (address) => getAddress(address);
  allowed = new Map();
  head = 100;
  nodeHead = null;
  chain.readAllowances = async (reads) => {
    chain.checks += 1;
    return reads.map(({ wallet }) => ({
      allowance: allowed.get(wallet) ?? 0n,
      balance: 10n ** 24n,
      block: nodeHead ?? head,
    }));
  };
  http = await startHttp({
    store: openMemoryStore(),
    chains: (reported) => {
      listener = reported;
      return [chain];
    },
  });
  ({ billing } = http);
  merchant = await MerchantOverHttp.signUp(http, chain);
  await merchant.setPayoutWallet();
});

async function call(path: string, body: object): Promise<string> {
  const reply = await merchant.post(path, body);
  expect(reply.status).toBeLessThan(300);
  return idOf(reply);
}

async function priceOf(change: object = {}): Promise<string> {
  const pricing = [monthly({ amount: '10.00', ...change })];
  return priceIdOf(await merchant.post('/offers', offerBody({ pricing })));
}

async function customerWith(address: string): Promise<string> {
  return call('/customers', { wallets: [{ chainFamily: 'evm', address }] });
}

/** `allowanceConfirmed` of each subscription, after the next tick of the job. */
async function confirmed(...ids: string[]): Promise<boolean[]> {
  await tick();
  return Promise.all(ids.map(async (id) => subscriptionContextOf(await merchant.subscription(id)).allowanceConfirmed));
}

/** The work of the job at each tick. */
async function tick(): Promise<void> {
  while ((await billing.watcher.checkChanges()) > 0);
  await billing.quiet();
  while ((await billing.watcher.checkChanges()) > 0);
  while ((await billing.watcher.checkDue()) > 0);
  await billing.quiet();
}

/** The payer approves this amount: the next block has it, and its log is reported. */
async function approves(amount: bigint, wallet = ALICE): Promise<void> {
  head += 1;
  allowed.set(wallet, amount);
  await billing.watcher.allowancesChanged([changeOf(wallet, head)]);
}

/** The log of an approval by this wallet in this block. */
function changeOf(wallet: string, block: number) {
  const of = { merchantId: merchant.id, mode: 'test', consent: OPEN, chainId: chain.chainId } as const;
  return { ...of, token: PLAYED_TOKEN, wallet, block };
}

/** Ends a mined charge. */
type Ends = (kind: 'final' | 'reorged') => Promise<void>;

/** The next block contains the charge, which reduces the allowance. */
async function mined(charge: ChargeDoc): Promise<Ends> {
  await listener.start([charge]);
  head += 1;
  const block = { number: head, hash: `0xb${head}` };
  const hashes = { pullTxHash: '0xaa', ...HASHES };
  const allows = (more: bigint) => allowed.set(charge.from, (allowed.get(charge.from) ?? 0n) + more);
  allows(-BigInt(charge.gross));
  await reported(charge, { kind: 'mined', hashes, block });
  const inBlock: ChargeDoc = { ...charge, state: 'mined', block };
  return async (kind) => {
    await http.store.records.change('charges', charge._id, {}, { set: { state: 'final' } });
    if (kind === 'reorged') allows(BigInt(charge.gross));
    await reported(inBlock, kind === 'final' ? { kind, hashes, block } : { kind });
  };
}

/** A cycle falls due, and its charge is mined. */
async function pulls(subscriptionId: string): Promise<Ends> {
  return mined(await chain.charges.waiting({ paymentId: await merchant.beginCharge(subscriptionId) }));
}

async function reported(charge: ChargeDoc, fact: ChargeFact): Promise<void> {
  await listener.notify([{ charge, fact }]);
  await billing.quiet();
}

/** A live subscription with an authorization, whose first charge is not due yet; by default of Alice. */
async function authorized(priceId?: string, customerId?: string): Promise<string> {
  const body = { customerId: customerId ?? (await customerWith(ALICE)), priceId: priceId ?? (await priceOf()) };
  const id = await call('/subscriptions', body);
  await billing.quiet();
  await tick();
  merchant.later(1_000);
  return id;
}

async function active(priceId?: string, customerId?: string): Promise<string> {
  const id = await authorized(priceId, customerId);
  await (await pulls(id))('final');
  await tick();
  return id;
}

describe('allowanceConfirmed after a charge', () => {
  it('is false from the block whose charge uses up the allowance', async () => {
    await approves(CHARGE);
    const id = await authorized();
    expect(await confirmed(id)).toEqual([true]);
    const ends = await pulls(id);
    expect(await confirmed(id)).toEqual([false]);
    await ends('final');
    expect([await confirmed(id), (await merchant.subscription(id)).status]).toEqual([[false], 'active']);
  });

  it('is true again if the charge is reorged out', async () => {
    await approves(CHARGE);
    const id = await authorized();
    const ends = await pulls(id);
    expect(await confirmed(id)).toEqual([false]);
    await ends('reorged');
    expect(await confirmed(id)).toEqual([true]);
  });

  it('is false if a payment of the same wallet to the same merchant used up the rest', async () => {
    await approves(2n * CHARGE);
    const id = await active();
    expect(await confirmed(id)).toEqual([true]);
    // The request is answered when its charge has ended.
    const answer = call('/payments', paymentBody({ amount: '5.00' }));
    const ends = await mined(await chain.charges.waiting({ from: ALICE }));
    expect(await confirmed(id)).toEqual([false]);
    await ends('final');
    await answer;
  });
});

describe('allowanceConfirmed after an approval', () => {
  it('shows when the payer took it back, and not what charges use up', async () => {
    await approves(2n * CHARGE);
    const id = await active();
    const revokedAt = async () => {
      await tick();
      return subscriptionContextOf(await merchant.subscription(id)).approvalRevokedAt ?? null;
    };
    await approves(0n);
    expect(await revokedAt()).toBe(http.now.toISOString());
    await approves(CHARGE);
    expect(await revokedAt()).toBeNull();
    const answer = call('/payments', paymentBody({ amount: '10.00' }));
    const ends = await mined(await chain.charges.waiting({ from: ALICE }));
    expect([await revokedAt(), await confirmed(id)]).toEqual([null, [false]]);
    await ends('final');
    await answer;
  });

  it.each(['payer', 'merchant', 'staff'] as const)('shows it, too, once the %s has ended it', async (canceledBy) => {
    await approves(0n);
    await approves(2n * CHARGE);
    const before = head - 1;
    const id = await active();
    await merchant.send(id, { type: 'cancel.requested', atPeriodEnd: false, reason: 'requested', canceledBy });
    const revokes = async (block: number, mandateId: string | null) => {
      await billing.watcher.allowancesChanged([{ ...changeOf(ALICE, block), revoked: { mandateId } }]);
      await tick();
      return subscriptionContextOf(await merchant.subscription(id)).approvalRevokedAt ?? null;
    };
    const events = await billing.eventsOf(id);
    await approves(0n);
    expect([await revokes(before, null), await revokes(head, '0xother')]).toEqual([null, null]);
    expect(await revokes(head, null)).toBe(http.now.toISOString());
    expect(await billing.eventsOf(id)).toEqual(events);
  });

  it('follows the allowance on a past due subscription, whatever the reason of its failure', async () => {
    await approves(5n * CHARGE);
    const id = await active();
    const charge = await chain.charges.waiting({ paymentId: await merchant.beginCharge(id) });
    await listener.start([charge]);
    await reported(charge, { kind: 'refused', reason: 'pull_reverted', landed: true });
    await approves(0n);
    expect([await confirmed(id), (await merchant.subscription(id)).status]).toEqual([[false], 'past_due']);
    await approves(CHARGE);
    expect(await confirmed(id)).toEqual([true]);
  });

  it('shows for each of several subscriptions what earlier authorizations leave, and what others give up', async () => {
    await approves(5n * CHARGE);
    const [priceId, customerId] = [await priceOf(), await customerWith(ALICE)];
    const [first, second] = [await active(priceId, customerId), await active(priceId, customerId)];
    await approves((3n * CHARGE) / 2n);
    expect(await confirmed(first, second)).toEqual([true, false]);
    await merchant.send(first, { type: 'cancel.requested', atPeriodEnd: true, reason: 'requested' });
    expect(await confirmed(first, second)).toEqual([true, true]);
    await merchant.send(first, { type: 'resume.requested' });
    expect(await confirmed(first, second)).toEqual([true, false]);
    await merchant.send(first, { type: 'cancel.requested', atPeriodEnd: false, reason: 'requested' });
    expect(await confirmed(second)).toEqual([true]);
  });

  it('is about the amount of a new quantity, for it and for others behind it', async () => {
    const seats = await priceOf({ model: 'per_unit', maxQuantity: 5 });
    await approves(5n * CHARGE);
    const customerId = await customerWith(ALICE);
    const [id, other] = [await active(seats, customerId), await active(await priceOf(), customerId)];
    await approves(3n * CHARGE);
    expect(await confirmed(id, other)).toEqual([true, true]);
    const results: unknown[] = [];
    for (const quantity of [3, 4, 2]) {
      await merchant.send(id, { type: 'quantity.requested', quantity });
      results.push([quantity, ...(await confirmed(id, other))]);
    }
    expect(results).toEqual([
      [3, true, false],
      [4, false, false],
      [2, true, true],
    ]);
  });
});

/** Active subscriptions of one wallet, authorized one after the other. */
async function subscribedAlready(count: number): Promise<string[]> {
  const first = await merchant.subscription(await active());
  const authorizedAt = Date.parse(subscriptionContextOf(first).authorizedAt ?? '');
  const copies = Array.from({ length: count - 1 }, (_, index): StoredActor => {
    const _id = `sub_copy_${String(index).padStart(4, '0')}`;
    const at = new Date(authorizedAt + index + 1).toISOString();
    return { ...first, _id, context: { ...first.context, id: _id, authorizedAt: at } };
  });
  await insertActors(http.store, copies);
  return [first._id, ...copies.map(({ _id }) => _id)];
}

describe('a change of an allowance', () => {
  it('is read again until a node with its block answers', async () => {
    await approves(5n * CHARGE);
    const id = await active();
    nodeHead = head;
    await approves(0n);
    // The answer of a node without the block.
    allowed.set(ALICE, 5n * CHARGE);
    expect(await confirmed(id)).toEqual([true]);
    allowed.set(ALICE, 0n);
    nodeHead = null;
    expect(await confirmed(id)).toEqual([true]);
    merchant.later(1_000);
    expect(await confirmed(id)).toEqual([false]);
    expect(await http.store.records.count('allowanceChanges', {})).toBe(0);
  });

  it('waits for its own block only, not for those that were reported with it', async () => {
    for (const wallet of [ALICE, BOB]) await approves(5n * CHARGE, wallet);
    const priceId = await priceOf();
    const ids = [await active(priceId, await customerWith(ALICE)), await active(priceId, await customerWith(BOB))];
    for (const wallet of [ALICE, BOB]) allowed.set(wallet, 0n);
    nodeHead = head;
    await billing.watcher.allowancesChanged([changeOf(ALICE, head), changeOf(BOB, head + 1)]);
    await tick();
    const waiting = await http.store.records.find('allowanceChanges', { where: {}, limit: 10 });
    const left = { ...changeOf(BOB, head + 1), wallet: expect.anything() };
    expect(waiting.map(({ changes }) => changes)).toEqual([[left]]);
    nodeHead = null;
    head += 1;
    merchant.later(1_000);
    await tick();
    expect(await http.store.records.count('allowanceChanges', {})).toBe(0);
    expect(await confirmed(...ids)).toEqual([false, false]);
  });

  it('waits while no node answers, and continues later', async () => {
    await approves(5n * CHARGE);
    const id = await active();
    const { readAllowances } = chain;
    await approves(0n);
    chain.readAllowances = () => Promise.reject(new Error('the node does not answer'));
    await expect(billing.watcher.checkChanges()).rejects.toThrow('the node does not answer');
    chain.readAllowances = readAllowances;
    merchant.later(1_000);
    expect(await confirmed(id)).toEqual([false]);
  });

  it.each([
    { what: 'one approval', changes: 1, reads: 1 },
    { what: '250 changes at once', changes: 250, reads: 1 },
    { what: '251 changes at once', changes: 251, reads: 2 },
  ])('costs few round trips for a wallet with 500 subscriptions: $what', async ({ changes, reads }) => {
    await approves(501n * CHARGE);
    const ids = await subscribedAlready(500);
    expect(await confirmed(...ids)).toEqual(ids.map(() => true));
    const revs = await Promise.all(ids.map(async (id) => (await merchant.subscription(id)).rev));
    const { roundTrips } = http.store;
    const [before, checks] = [roundTrips(), chain.checks];
    for (let index = 0; index < changes; index += 1) await approves(497n * CHARGE);
    const noted = roundTrips();
    await tick();
    const spent = roundTrips() - noted;
    const notified = (await Promise.all(ids.map(async (id) => (await merchant.subscription(id)).rev))).filter(
      (rev, at) => rev !== revs[at],
    );
    expect([noted - before, chain.checks - checks, notified.length]).toEqual([changes, reads, 3]);
    // The changes, the subscriptions of the wallet in pages, the three notified ones and their journal.
    expect(spent).toBeLessThanOrEqual(15 + 12 * reads);
    expect(await confirmed(...ids.slice(0, 497))).toEqual(ids.slice(0, 497).map(() => true));
    expect(await confirmed(...ids.slice(497))).toEqual([false, false, false]);
  });

  it('costs the chain nothing if no live subscription bills the wallet', async () => {
    await approves(CHARGE, BOB);
    const checks = chain.checks;
    await tick();
    expect([chain.checks - checks, await http.store.records.count('allowanceChanges', {})]).toEqual([0, 0]);
  });
});
