import { recipientsOf } from '../../../src/billing/payout/recipients.ts';
import { payoutsFrom } from '../../../src/billing/payout/wallets.ts';
import { waitingAnnouncement } from '../../../src/chains/announcements.ts';
import { merchantSalt, routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { createChains } from '../../../src/chains/registry.ts';
import type { AnnouncementDoc, ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import { scriptedCatalog } from '../../../stage/scripted-chain.ts';
import { wallet } from '../../store/support/documents.ts';
import { cyclePayment } from '../../support/cycle-payment.ts';
import { dyingAt } from '../support/faults.ts';
import { mandateCharge } from '../support/mandates.ts';
import { useEvm } from './bench.ts';
import { mandatePayer, signedMandate } from './signed-mandates.ts';
import { MERCHANT, PLATFORM } from './world.ts';

const DELAY_S = 172_800;
const LAPSE_S = 90 * 86_400;
const HOUR_MS = 3_600_000;
const SALT = merchantSalt('mrc_a', 'test');

const { world, bench } = useEvm({ payeeDelay: DELAY_S, pumps: true, perTest: true });
let passedMs: number;
const clock = (): Date => new Date(Date.now() + passedMs);

beforeEach(async () => {
  passedMs = 0;
});

async function announce(payee: string): Promise<string> {
  const announced = { chainId: world.chainId, router: world.router, merchantId: 'mrc_a', mode: 'test', payee } as const;
  const doc = waitingAnnouncement(announced, new Date());
  await bench.records.insert('announcements', [doc]);
  return doc._id;
}

function announcement(id: string): Promise<AnnouncementDoc> {
  return bench.doc('announcements', id);
}

function untilState(id: string, state: AnnouncementDoc['state']): Promise<void> {
  return bench.until(`the announcement is ${state}`, async () => (await announcement(id)).state === state);
}

/** Announces the payee on the chain. */
async function announced(payee: string): Promise<string> {
  const id = await announce(payee);
  await untilState(id, 'announced');
  return id;
}

async function payeeFrom(payee: string): Promise<number> {
  return Number(await world.read(world.router, routerInterface, 'announcementOf', [SALT, payee]));
}

/** Who have announced payees on this test's chain, in order. */
async function announcers(): Promise<(string | undefined)[]> {
  const topic = routerInterface.getEvent('PayeeAnnounced')?.topicHash ?? '';
  const { provider } = world.anvil;
  const logs = await provider.getLogs({ address: world.router, topics: [topic], fromBlock: 0 });
  return Promise.all(logs.map(async (log) => (await provider.getTransaction(log.transactionHash))?.from));
}

async function sentCount(): Promise<number> {
  const counts = world.senders.map((sender) => world.anvil.provider.getTransactionCount(sender));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** The merchant has replaced the payout wallet that payers have signed. */
async function replaceWallet(receiverWallet: string): Promise<void> {
  const former = [{ address: MERCHANT, until: new Date() }];
  const row = wallet({ merchantId: 'mrc_a', tokenKey: 'usdc-local-evm', chainId: 31_337, receiverWallet, former });
  await bench.records.insert('wallets', [row]);
}

/** Who gets the merchant's part of a cycle now. */
async function recipientUnder(mandate: MandateDoc): Promise<string> {
  const store = { ...openMemoryStore(), records: bench.records };
  const payment = cyclePayment(mandate, 'usdc-local-evm', { mandateId: mandate._id, router: mandate.router });
  const stored = { store, ledger: bench.records, payoutsOf: payoutsFrom(store) };
  const deps = { ...stored, catalog: scriptedCatalog(), chains: createChains([]), clock };
  return (await recipientsOf(deps, [payment], new Map([[mandate._id, mandate]]))).get(payment._id) ?? '';
}

/** The clocks of the chain and of the service go on. */
async function pass(seconds: number): Promise<void> {
  passedMs += seconds * 1_000;
  await world.rpc('evm_increaseTime', [seconds]);
  await world.mine();
}

/** A charge of 10 tokens whose merchant's part goes to this address. */
function chargeTo(mandate: MandateDoc, payee: string, cycle: number): ChargeDoc {
  const charge = mandateCharge(world, mandate, cycle);
  return {
    ...charge,
    shares: charge.shares.map((share) => (share.role === 'forward' ? { ...share, to: payee } : share)),
  };
}

async function paidTo(charge: ChargeDoc): Promise<(readonly [string, bigint])[]> {
  const { txHash } = await bench.read(charge);
  const transfers = (await world.transfers()).filter((transfer) => transfer.txHash === txHash);
  return transfers.map(({ to, amount }) => [to, amount] as const);
}

async function mandated(): Promise<MandateDoc> {
  return signedMandate(world, bench.records, await mandatePayer(world), { interval: 0 });
}

describe('a new payee', () => {
  it('is announced once by several senders, and paid after the delay of the router', async () => {
    const payee = world.stranger();
    const mandate = await mandated();
    await bench.start({ senders: 2, clock });
    const id = await announced(payee);
    const from = await payeeFrom(payee);
    expect((await announcement(id)).from).toEqual(new Date(from * 1_000 + HOUR_MS));
    expect([(await announcers()).length, await sentCount()]).toEqual([1, 1]);

    await replaceWallet(payee);
    const former = chargeTo(mandate, await recipientUnder(mandate), 1);
    const early = chargeTo(mandate, payee, 2);
    await bench.charge(former, early);
    await bench.untilState([former], 'final');
    await bench.untilState([early], 'refused');
    expect((await bench.read(early)).refusal?.kind).toBe('not_payee');
    await pass(DELAY_S + HOUR_MS / 1_000 + 1);
    const late = chargeTo(mandate, await recipientUnder(mandate), 3);
    await bench.settle(late);
    expect([await paidTo(former), await paidTo(late)]).toEqual([
      [
        [MERCHANT, 9_900_000n],
        [PLATFORM, 100_000n],
      ],
      [
        [payee, 9_900_000n],
        [PLATFORM, 100_000n],
      ],
    ]);
    expect((await world.transfers()).filter(({ to }) => to === payee)).toHaveLength(1);
  });

  it('counts as announced if the router has it already, without a transaction', async () => {
    const payee = world.stranger();
    await world.callRouter('announcePayee', [SALT, payee], world.senders[1]);
    const before = await sentCount();
    await bench.start();
    await announced(payee);
    expect([(await announcers()).length, await sentCount()]).toEqual([1, before]);
  });

  it('is announced after a process died before its transaction was broadcast', async () => {
    const mortal = dyingAt('sender.stored.after');
    const dying = bench.chain(mortal);
    const payee = world.stranger();
    const id = await announce(payee);
    await dying.start();
    await bench.until('the first process is dead', mortal.isDead);
    await bench.start();
    await untilState(id, 'announced');
    expect(await announcers()).toHaveLength(1);
  });

  it('counts no more when the owner has withdrawn it, and is not announced again', async () => {
    const payee = world.stranger();
    await bench.start();
    const id = await announced(payee);
    await world.callRouter('withdrawPayee', [SALT, payee]);
    await untilState(id, 'withdrawn');
    await announced(world.stranger());
    expect([(await announcement(id)).state, await payeeFrom(payee)]).toEqual(['withdrawn', 0]);
  });

  it('is announced anew when its sender is removed before a charge has used it, and waits again', async () => {
    const [payee, mandate] = [world.stranger(), await mandated()];
    await bench.start({ senders: 2, clock });
    const id = await announced(payee);
    await replaceWallet(payee);
    await pass(DELAY_S + HOUR_MS / 1_000 + 1);
    expect(await recipientUnder(mandate)).toBe(payee);
    const before = await payeeFrom(payee);
    const [announcer] = await announcers();
    await world.callRouter('removeSender', [announcer]);
    await bench.until('another sender has announced it', async () => (await payeeFrom(payee)) > before);
    await untilState(id, 'announced');
    expect(await recipientUnder(mandate)).toBe(MERCHANT);
    await world.callRouter('addSender', [announcer]);
  });

  it('is announced anew when it has lapsed unused, and cycles pay the wallet before it meanwhile', async () => {
    const [payee, mandate] = [world.stranger(), await mandated()];
    await bench.start({ clock });
    const id = await announced(payee);
    await replaceWallet(payee);
    const { until } = await announcement(id);
    await pass(DELAY_S + LAPSE_S - HOUR_MS / 1_000);
    expect(await recipientUnder(mandate)).toBe(payee);
    await pass((3 * HOUR_MS) / 1_000);
    expect(await recipientUnder(mandate)).toBe(MERCHANT);
    await bench.until('it is announced anew', async () => ((await announcement(id)).until ?? 0) > (until ?? 0));
    expect(await recipientUnder(mandate)).toBe(MERCHANT);
    await pass(DELAY_S + HOUR_MS / 1_000 + 1);
    expect(await recipientUnder(mandate)).toBe(payee);
  });

  it('stays for good once a charge has used it', async () => {
    const [payee, mandate] = [world.stranger(), await mandated()];
    await bench.start({ clock });
    const id = await announced(payee);
    await replaceWallet(payee);
    await pass(DELAY_S + HOUR_MS / 1_000 + 1);
    await bench.settle(chargeTo(mandate, payee, 1));
    await pass(LAPSE_S);
    await bench.until('the router says so', async () => (await announcement(id)).until === null);
    expect([(await announcement(id)).state, await recipientUnder(mandate)]).toEqual(['announced', payee]);
  });

  it('is a trouble if this service did not announce it, until it is withdrawn', async () => {
    const chain = await bench.start();
    const own = await announced(world.stranger());
    const trouble = async () => (await chain.health()).trouble;
    expect(await trouble()).toBeNull();
    const thief = world.stranger();
    await world.callRouter('announcePayee', [SALT, thief], world.senders[1]);
    await bench.until('it shows', async () => (await trouble())?.includes(thief.toLowerCase()) ?? false);
    await world.callRouter('withdrawPayee', [SALT, thief]);
    await bench.until('it is over', async () => (await trouble()) === null);
    const { payee } = await announcement(own);
    await world.callRouter('withdrawPayee', [SALT, payee]);
    await untilState(own, 'withdrawn');
    await world.callRouter('announcePayee', [SALT, payee], world.senders[1]);
    await bench.until('it shows', async () => (await trouble())?.includes(payee.toLowerCase()) ?? false);
    expect((await announcement(own)).state).toBe('withdrawn');
  });

  it('is announced again when a reorg has removed the withdrawal, and counts again', async () => {
    const payee = world.stranger();
    await bench.start();
    const id = await announced(payee);
    world.hold();
    await world.mine(3);
    await world.callRouter('withdrawPayee', [SALT, payee]);
    await untilState(id, 'withdrawn');
    await world.reorg(1);
    await world.mine();
    await untilState(id, 'announced');
  });
});

describe('a revocation that the payer sends', () => {
  const isNoted = async ({ _id }: MandateDoc) => (await bench.doc('mandates', _id)).revokedAt instanceof Date;

  it('is noted on nothing if somebody else sends it, or for another merchant', async () => {
    const [mandate, last] = [await mandated(), await mandated()];
    await bench.start();
    await world.callRouter('revoke', [SALT, mandate.agreement], last.payer);
    await world.callRouter('revoke', [merchantSalt('mrc_b', 'test'), mandate.agreement], mandate.payer);
    await world.callRouter('revoke', [SALT, last.agreement], last.payer);
    await bench.until('the last one is noted', () => isNoted(last));
    expect(await isNoted(mandate)).toBe(false);
    const charge = mandateCharge(world, mandate);
    await bench.settle(charge);
  });

  it('is noted on the mandates of its agreement, the allowance is read again, and nothing is sent', async () => {
    const revoked = await mandated();
    await bench.start();
    await world.callRouter('revoke', [SALT, revoked.agreement], revoked.payer);
    await bench.until('it is noted', () => isNoted(revoked));
    expect(bench.listener.allowances).toContainEqual(
      expect.objectContaining({
        merchantId: 'mrc_a',
        consent: { isBounded: true, router: world.router },
        token: world.token,
        wallet: revoked.payer,
        revoked: { mandateId: revoked._id },
      }),
    );
    const refused = mandateCharge(world, revoked);
    await bench.refuse(refused);
    expect(bench.listener.of(refused)).toEqual([{ kind: 'refused', reason: 'insufficient_allowance', landed: false }]);
    expect(await sentCount()).toBe(0);
  });

  it('is noted no more when a reorg has removed it', async () => {
    const mandate = await mandated();
    await bench.start();
    world.hold();
    await world.mine(3);
    await world.callRouter('revoke', [SALT, mandate.agreement], mandate.payer);
    await bench.until('it is noted', () => isNoted(mandate));
    await world.reorg(1);
    await world.mine();
    await bench.until('it is not noted', async () => !(await isNoted(mandate)));
  });

  it('is noted by the refusal of a charge, as is the last charge of a mandate', async () => {
    const revoked = await mandated();
    const used = await signedMandate(world, bench.records, await mandatePayer(world), { interval: 0, charges: 1 });
    await world.callRouter('revoke', [SALT, revoked.agreement], revoked.payer);
    const [first, second] = [mandateCharge(world, used, 1), mandateCharge(world, used, 2)];
    await bench.start();
    await bench.charge(mandateCharge(world, revoked), first);
    await bench.untilState([first], 'final');
    await bench.refuse(second);
    expect(await bench.doc('mandates', revoked._id)).toMatchObject({ revokedAt: expect.any(Date) });
    expect(await bench.doc('mandates', used._id)).toMatchObject({ usedUpAt: expect.any(Date) });
    expect([await isNoted(used), (await bench.doc('mandates', revoked._id)).usedUpAt]).toEqual([false, undefined]);
  });
});
