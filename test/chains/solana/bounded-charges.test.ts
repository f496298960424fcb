import { Keypair } from '@solana/web3.js';
import { waitingAnnouncement } from '../../../src/chains/announcements.ts';
import { publicKeyOf } from '../../../src/chains/solana/public-keys.ts';
import type { ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import { createTransferCheckedInstruction } from '../../support/solana.ts';
import { barrier } from '../support/faults.ts';
import { mandateCharge } from '../support/mandates.ts';
import type { Answered } from '../support/proxy.ts';
import { type ChargeWish, secondAttempt } from '../support/world.ts';
import { TENANT, useBounded } from './bounded.ts';
import { signatureOf, signedMandate } from './signed-mandates.ts';
import { CHAIN_ID, UNLIMITED } from './world.ts';

/**
 * Charges under mandates. No program enforces them on Solana: the service refuses to sign. The balances are the judge.
 */

const { world, bench, store, mandated, refused, taken, announced, openReader } = useBounded();

const DAY = 86_400;

describe('a charge under a mandate', () => {
  it('is pulled by the delegate for mandates, as the payer signed it', async () => {
    const mandate = await mandated();
    await bench.start();
    const charge = mandateCharge(world, mandate);
    await bench.settle(charge);
    expect(bench.listener.kinds(charge).slice(0, 2)).toEqual(['mined', 'final']);
    expect(await taken(mandate.payer)).toBe(10_000_000n);
  });

  it('takes nothing from an allowance of the open delegate, nor an open charge from an allowance for mandates', async () => {
    const [bounded, open] = [await world.payer(), await world.payer('mrc_a', { allowance: 0n })];
    await world.approveDelegate(open, world.operatorOf('mrc_a', { isBounded: false }), UNLIMITED);
    const mandate = signedMandate(world, open);
    await store(mandate);
    await bench.start();
    const charges = [mandateCharge(world, mandate), bench.chargeOf({ from: bounded })];
    for (const charge of charges) {
      const { reason, note } = await refused(charge);
      expect({ reason, note }).toEqual({ reason: 'insufficient_allowance', note: 'delegate_replaced' });
    }
    expect([await taken(bounded), await taken(open)]).toEqual([0n, 0n]);
  });
});

describe('a mandate with a limit of 30 days', () => {
  it('is kept by the memo of the charge before, also under a new mandate of the agreement', async () => {
    const mandate = await mandated({ interval: 0, per30Days: '25000000' });
    const { _id, signature, message, ...others } = mandate;
    const next = signedMandate(world, mandate.payer, { ...others, issuedAt: mandate.issuedAt + 1 });
    await store(next);
    await bench.start();
    for (const cycle of [1, 2]) await bench.settle(mandateCharge(world, mandate, cycle));
    const { reason, refusal } = await refused(mandateCharge(world, next, 3));
    const text = '30000000 would be taken in 30 days, and the mandate allows 25000000';
    expect({ reason, refusal }).toEqual({ reason: 'pull_reverted', refusal: { kind: 'above_per_30_days', text } });
    expect(await taken(mandate.payer)).toBe(20_000_000n);
  });
});

describe('a payee that the mandate does not name', () => {
  async function bounded() {
    const mandate = await mandated();
    const to = world.stranger();
    const { shares, ...others } = mandateCharge(world, mandate);
    const changed = shares.map((share) => (share.role === 'forward' ? { ...share, to } : share));
    return { payer: mandate.payer, to, charge: { ...others, shares: changed } };
  }

  it('is paid once it is announced', async () => {
    const { payer, to, charge } = await bounded();
    await bench.start();
    expect((await refused(charge)).refusal?.kind).toBe('not_payee');
    await announced(to);
    await bench.settle(secondAttempt(charge));
    expect(await taken(payer)).toBe(10_000_000n);
    expect(await world.balanceOf(to)).toBe(9_900_000n);
  });

  it('is not paid if its announcement was withdrawn', async () => {
    const { payer, to, charge } = await bounded();
    await bench.start();
    const { _id } = await announced(to);
    await bench.records.change('announcements', _id, {}, { set: { state: 'withdrawn' } });
    expect((await refused(charge)).refusal?.kind).toBe('not_payee');
    expect(await taken(payer)).toBe(0n);
  });

  it('is not paid because a document names it: the chain has no announcement', async () => {
    const { payer, to, charge } = await bounded();
    const about = { ...TENANT, chainId: CHAIN_ID, router: null, payee: to };
    const inserted = { ...waitingAnnouncement(about, new Date(0)), state: 'announced' } as const;
    await bench.records.insert('announcements', [inserted]);
    await bench.start();
    expect((await refused(charge)).refusal?.kind).toBe('not_payee');
    expect(await taken(payer)).toBe(0n);
  });

  const lies = ['its document says', 'a node says of the block'];
  it.each(lies)('is paid in live mode 48 hours after the block of the announcement, whatever %s', async (lie) => {
    const live = { merchantId: 'mrc_a', mode: 'live' } as const;
    const [payer, to] = [await world.payer('mrc_a', { allowance: 0n }), world.stranger()];
    await world.approveDelegate(payer, world.delegates.of(live, true).address, UNLIMITED);
    await world.mint(to, 0n);
    const mandate = signedMandate(world, payer, { mode: 'live', interval: 0 });
    await store(mandate);
    const shares: ChargeWish['shares'] = [['forward', to, 10_000_000n]];
    const charges = [1, 2, 3].map((cycle): ChargeDoc => {
      return { ...mandateCharge(world, mandate, cycle, { shares }), mode: 'live' };
    });
    const [early, stillEarly, late] = charges;
    if (early === undefined || stillEarly === undefined || late === undefined) throw new Error('three charges');
    let aheadMs = 0;
    const node = await bench.proxy();
    const old = (answer: Answered) => ({ ...answer, result: { ...Object(answer.result), blockTime: 1 } });
    if (lie.startsWith('a node')) node.answer('getTransaction', old);
    await bench.start({ rpcUrl: node.url, clock: () => new Date(Date.now() + aheadMs) });
    const { _id, from } = await announced(to, live);
    expect(from.getTime() - Date.now()).toBeGreaterThan(48 * 3_600_000);
    const stored = { from: new Date(0), createdAt: new Date(0) };
    if (lie.startsWith('its document')) await bench.records.change('announcements', _id, {}, { set: stored });
    expect((await refused(early)).refusal?.kind).toBe('not_payee');
    aheadMs = 47 * 3_600_000;
    expect((await refused(stillEarly)).refusal?.kind).toBe('not_payee');
    aheadMs = 50 * 3_600_000;
    await bench.settle(late);
    expect([await taken(payer), await world.balanceOf(to)]).toEqual([10_000_000n, 10_000_000n]);
  });
});

describe('the chain reader', () => {
  it("knows a charge under a mandate as the merchant's, and finds what somebody else moves with its delegate", async () => {
    const mandate = await mandated();
    await bench.start();
    const charge = mandateCharge(world, mandate);
    await bench.settle(charge);
    // It moves nothing, so nobody has to explain it.
    await announced(world.stranger());
    const thief = await world.user.newPayer(0n);
    const [from, to] = [world.user.accountOf(mandate.payer), world.user.accountOf(thief.publicKey)];
    const mover = world.delegates.of(TENANT, true);
    const [mint, owner, program] = [world.user.mint(), publicKeyOf(mover.address), world.user.program()];
    const pull = createTransferCheckedInstruction(from, mint, to, owner, 700n, 6, [], program);
    const moved = await world.user.actWith([pull], thief, mover);

    const reader = openReader();
    const evidence = await reader.evidence(await bench.read(charge));
    const merchant = reader.merchantOf(charge);
    expect(evidence?.charge).toMatchObject({ key: charge.key, merchant, gross: 10_000_000n });
    const others: string[] = [];
    const options = { tenants: [TENANT], known: async () => new Set<string>() };
    for await (const page of reader.read(0, await reader.head('final'), options)) {
      others.push(...page.others.map(({ txHash }) => txHash));
    }
    await reader.close();
    expect(others).toEqual([moved]);
  });
});

describe('what a payer has not signed', () => {
  const stranger = Keypair.generate().publicKey.toBase58();
  const now = Math.floor(Date.now() / 1_000);
  const another = Keypair.generate();

  interface Case {
    readonly change?: Partial<MandateDoc>;
    /** After the signature. */
    readonly forged?: (mandate: MandateDoc) => Partial<MandateDoc>;
    readonly wish?: () => Partial<ChargeWish>;
    readonly cycle?: number;
    readonly kind: string;
  }
  const shares =
    (...list: NonNullable<ChargeWish['shares']>) =>
    () => ({ shares: list });

  /** What the payer has to mend; other charges could succeed. */
  const ENDED = ['too_late', 'bad_signature'];

  const cases: Readonly<Record<string, Case>> = {
    'more than one charge': { change: { perCharge: '9999999' }, kind: 'above_per_charge' },
    'a charge before the start': { change: { start: now + 3_600 }, kind: 'too_early' },
    'a charge after the end': { change: { end: now - 1 }, kind: 'too_late' },
    'a charge for a stranger': { wish: shares(['forward', stranger, 10_000_000n]), kind: 'not_payee' },
    'a higher fee': { change: { feeBps: 99 }, kind: 'above_fee' },
    'a fee for another platform': { change: { platform: stranger }, kind: 'not_payee' },
    'another key': { cycle: 1, wish: () => ({ key: `0x${'5'.repeat(64)}` }), kind: 'other_mandate' },
    'a mandate for another merchant': {
      change: { merchantId: 'mrc_b' },
      wish: () => ({ merchantId: 'mrc_a' }),
      kind: 'other_mandate',
    },
    'a mandate for another token': { change: { token: stranger }, kind: 'other_mandate' },
    'a mandate for another chain': { change: { chainId: 1 }, kind: 'other_mandate' },
    'a mandate that another wallet signed': {
      forged: ({ message }) => ({ signature: signatureOf(another, message) }),
      kind: 'bad_signature',
    },
    'a text without the mandate': { forged: () => ({ message: 'Hello', signature: '' }), kind: 'bad_signature' },
    'limits that were changed after the signature': {
      change: { perCharge: '5' },
      forged: () => ({ perCharge: '10000000' }),
      kind: 'bad_signature',
    },
  };

  it.each(Object.entries(cases))('nothing is taken by %s', async (_, { change, forged, wish, cycle, kind }) => {
    const reason = ENDED.includes(kind) ? 'insufficient_allowance' : 'pull_reverted';
    const payer = await world.payer();
    const signed = signedMandate(world, payer, change);
    const mandate = { ...signed, ...forged?.(signed) };
    const resigned = mandate.signature === '' ? { signature: signatureOf(world.keyOf(payer), mandate.message) } : {};
    await store({ ...mandate, ...resigned });
    await bench.start();
    const found = await refused(mandateCharge(world, mandate, cycle, wish?.()));
    expect({ reason: found.reason, kind: found.refusal?.kind }).toEqual({ reason, kind });
    expect(bench.listener.reported.map(({ fact }) => fact)).toEqual([{ kind: 'refused', reason, landed: false }]);
    expect(await taken(payer)).toBe(0n);
  });

  it('cannot be taken by a mandate that is not stored', async () => {
    const payer = await world.payer();
    await bench.start();
    const found = await refused(mandateCharge(world, signedMandate(world, payer)));
    expect(found).toMatchObject({ reason: 'pull_reverted', refusal: { kind: 'other_mandate' } });
    expect(await taken(payer)).toBe(0n);
  });
});

describe('charges under one agreement', () => {
  it('end when all are made, also under several mandates of one agreement', async () => {
    const first = await mandated({ charges: 1, interval: 0 });
    const second = signedMandate(world, first.payer, { ...first, issuedAt: first.issuedAt + 1 });
    await store(second);
    await bench.start();
    await bench.settle(mandateCharge(world, first, 1));
    const ended = (kind: string) => ({ reason: 'insufficient_allowance', refusal: { kind } });
    expect(await refused(mandateCharge(world, first, 2))).toMatchObject(ended('used_up'));
    await bench.settle(mandateCharge(world, second, 3));
    expect(await refused(mandateCharge(world, first, 4))).toMatchObject(ended('superseded'));
    expect(await taken(first.payer)).toBe(20_000_000n);
  });

  it('keep their rhythm: one may be ahead by an interval, and the next one may not', async () => {
    const mandate = await mandated();
    let ahead = 0;
    await bench.start({ clock: () => new Date(Date.now() + ahead) });
    await bench.settle(mandateCharge(world, mandate, 1));
    await bench.settle(mandateCharge(world, mandate, 2));
    expect(await refused(mandateCharge(world, mandate, 3))).toMatchObject({
      reason: 'pull_reverted',
      refusal: { kind: 'ahead_of_rhythm' },
    });
    ahead = DAY * 1_000;
    await bench.settle(mandateCharge(world, mandate, 4));
    expect(await taken(mandate.payer)).toBe(30_000_000n);
  });

  it('have cycles near each other', async () => {
    const mandate = await mandated({ interval: 0 });
    await bench.start();
    await bench.settle(mandateCharge(world, mandate, 40));
    for (const cycle of [8, 72]) {
      const found = await refused(mandateCharge(world, mandate, cycle));
      expect(found).toMatchObject({ reason: 'pull_reverted', refusal: { kind: 'cycle_out_of_range' } });
    }
    await bench.settle(mandateCharge(world, mandate, 9));
    expect(await taken(mandate.payer)).toBe(20_000_000n);
  });

  it('do not limit the charges of another payer with the same agreement', async () => {
    const terms = { charges: 1, agreement: `0x${'3'.repeat(64)}` };
    const [one, other] = [await mandated(terms), await mandated(terms)];
    await bench.start();
    await bench.settle(mandateCharge(world, one));
    await bench.settle(mandateCharge(world, other, 2));
    expect([await taken(one.payer), await taken(other.payer)]).toEqual([10_000_000n, 10_000_000n]);
  });

  it('count in one batch and in two processes that sign at the same time', async () => {
    const mandate = await mandated({ charges: 1, interval: 0 });
    const charges = [1, 2, 3, 4].map((cycle) => mandateCharge(world, mandate, cycle));
    await bench.charge(...charges);
    const both = barrier(2);
    const fault = async (point: string): Promise<void> => {
      if (point === 'sender.started.after') await both.reach();
    };
    const [one = '', other = ''] = world.facts.feePayers;
    await bench.start({ feePayers: [one], fault, charges: 2 });
    await bench.start({ feePayers: [other], fault, charges: 2 });
    await bench.untilState(charges, 'final', 'refused');
    expect(await bench.statesOf(charges)).toEqual(['final', 'refused', 'refused', 'refused']);
    expect(await taken(mandate.payer)).toBe(10_000_000n);
  });

  it('count when a restored ledger finds them on the chain', async () => {
    const mandate = await mandated();
    await bench.start();
    await bench.settle(mandateCharge(world, mandate, 1));
    await bench.stop();

    // The ledger as it was before the charge, a day later.
    bench.forget();
    await store(mandate);
    await bench.start({ clock: () => new Date(Date.now() + DAY * 1_000) });
    for (const cycle of [1, 2, 3]) await bench.settle(mandateCharge(world, mandate, cycle));
    expect(await taken(mandate.payer)).toBe(30_000_000n);
    expect((await refused(mandateCharge(world, mandate, 4))).refusal?.kind).toBe('ahead_of_rhythm');
  });

  it('do not count one whose transaction has expired: it is signed again', async () => {
    const mandate = await mandated({ charges: 1, interval: DAY });
    const charge = mandateCharge(world, mandate);
    world.chain.drop(1_000_000);
    await bench.start();
    await bench.send(charge);
    world.chain.drop(0);
    world.letExpire();
    await bench.untilState([charge], 'final');
    expect(bench.listener.kinds(charge)).toEqual(['released', 'mined', 'final']);
    expect(await taken(mandate.payer)).toBe(10_000_000n);
  });
});
