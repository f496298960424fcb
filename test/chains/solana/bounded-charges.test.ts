import { Keypair } from '@solana/web3.js';
import { waitingAnnouncement } from '../../../src/chains/announcements.ts';
import { JsonRpc } from '../../../src/chains/rpc.ts';
import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { publicKeyOf } from '../../../src/chains/solana/public-keys.ts';
import { createSolanaChainReader } from '../../../src/chains/solana/reader/chain-reader.ts';
import type { AnnouncementDoc, ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import {
  createTransferCheckedInstruction,
  type LocalSolana,
  SolanaUser,
  startLocalSolana,
} from '../../support/solana.ts';
import { CHAIN_ID, SolanaBench, type SolanaChargeWish, type SolanaWish, solanaCharge } from './bench.ts';
import { mandateCharge, signatureOf, signedMandate } from './signed-mandates.ts';

/**
 * Charges under mandates. No program enforces them on Solana: the service refuses to sign. The balances are the judge.
 */
let local: LocalSolana;
let user: SolanaUser;
let bench: SolanaBench;

beforeAll(async () => {
  local = await startLocalSolana();
  user = new SolanaUser(local.world);
});
beforeEach(() => {
  bench = new SolanaBench(local);
});
afterEach(async () => {
  local.chain.drop(0);
  await bench?.stop();
});
afterAll(() => local?.stop());

const UNLIMITED = 2n ** 64n - 1n;
const BALANCE = 100_000_000n;
const DAY = 86_400;

const TENANT = { merchantId: 'mrc_a', mode: 'test' } as const;

function delegates(): Delegates {
  return new Delegates(rootOfSeed(local.world.operatorSeed));
}

function delegate(isBounded: boolean): string {
  return delegates().of(TENANT, isBounded).address;
}

/** A payer who has approved the delegate for mandates. */
async function payer(): Promise<Keypair> {
  const key = await user.newPayer(BALANCE);
  await user.approve(key, delegate(true), UNLIMITED);
  return key;
}

async function store(...mandates: readonly MandateDoc[]): Promise<void> {
  await bench.records.insert('mandates', mandates);
}

async function begin(wish: SolanaWish = {}): Promise<void> {
  await bench.chain(wish).start();
}

async function made(charge: ChargeDoc): Promise<void> {
  await bench.charge(charge);
  await bench.untilState([charge], 'final');
}

async function refused(charge: ChargeDoc): Promise<ChargeDoc> {
  await bench.charge(charge);
  await bench.untilState([charge], 'refused', 'final');
  expect(await bench.records.count('transactions', { chargeIds: charge._id })).toBe(0);
  return bench.read(charge);
}

const taken = async (key: Keypair): Promise<bigint> => BALANCE - ((await user.balanceOf(key.publicKey)) ?? 0n);

describe('a charge under a mandate', () => {
  it('is pulled by the delegate for mandates, as the payer signed it', async () => {
    const key = await payer();
    const mandate = signedMandate(local.world, key);
    await store(mandate);
    await begin();
    const charge = mandateCharge(local.world, mandate);
    await made(charge);
    expect(bench.listener.kinds(charge).slice(0, 2)).toEqual(['mined', 'final']);
    expect(await taken(key)).toBe(10_000_000n);
  });

  it('takes nothing from an allowance of the open delegate, nor an open charge from an allowance for mandates', async () => {
    const [bounded, open] = [await payer(), await user.newPayer(BALANCE)];
    await user.approve(open, delegate(false), UNLIMITED);
    const mandate = signedMandate(local.world, open);
    await store(mandate);
    await begin();
    const charges = [
      mandateCharge(local.world, mandate),
      solanaCharge(local.world, { from: bounded.publicKey.toBase58() }),
    ];
    for (const charge of charges) {
      const { reason, note } = await refused(charge);
      expect({ reason, note }).toEqual({ reason: 'insufficient_allowance', note: 'delegate_replaced' });
    }
    expect([await taken(bounded), await taken(open)]).toEqual([0n, 0n]);
  });
});

describe('a payee that the mandate does not name', () => {
  async function announced(payee: string): Promise<AnnouncementDoc> {
    const about = { ...TENANT, chainId: CHAIN_ID, router: null, payee };
    const doc = waitingAnnouncement(about, new Date());
    await bench.records.insert('announcements', [doc]);
    const read = async () => (await bench.records.get('announcements', [doc._id]))[0] ?? doc;
    await bench.until('it is announced', async () => (await read()).state === 'announced');
    return read();
  }

  async function bounded() {
    const key = await payer();
    const mandate = signedMandate(local.world, key);
    await store(mandate);
    const to = Keypair.generate().publicKey.toBase58();
    const charge = (cycle: number) => {
      const { shares, ...others } = mandateCharge(local.world, mandate, cycle);
      return { ...others, shares: shares.map((share) => (share.role === 'forward' ? { ...share, to } : share)) };
    };
    return { key, to, charge };
  }

  it('is paid once it is announced', async () => {
    const { key, to, charge } = await bounded();
    await begin();
    expect((await refused(charge(1))).refusal?.kind).toBe('not_payee');
    await announced(to);
    await made({ ...charge(1), _id: `${charge(1).key}:2`, attempt: 2 });
    expect(await taken(key)).toBe(10_000_000n);
    expect(await user.balanceOf(publicKeyOf(to))).toBe(9_900_000n);
  });

  it.each<[string, (known: AnnouncementDoc) => Partial<AnnouncementDoc>]>([
    ['its delay is not over', () => ({ from: new Date(Date.now() + 60_000) })],
    ['somebody has changed its moment in the database', ({ from }) => ({ from: new Date(from.getTime() - 1) })],
    ['somebody has stored it without a signature', () => ({ signature: null })],
    ['it was withdrawn', () => ({ state: 'withdrawn' })],
  ])('is not paid if %s', async (_why, change) => {
    const { key, to, charge } = await bounded();
    await begin();
    const known = await announced(to);
    await bench.records.change('announcements', known._id, {}, { set: { ...change(known) } });
    expect((await refused(charge(1))).refusal?.kind).toBe('not_payee');
    expect(await taken(key)).toBe(0n);
  });
});

describe('the chain reader', () => {
  it("knows a charge under a mandate as the merchant's, and finds what somebody else moves with its delegate", async () => {
    const key = await payer();
    const mandate = signedMandate(local.world, key);
    await store(mandate);
    await begin();
    const charge = mandateCharge(local.world, mandate);
    await made(charge);
    const thief = await user.newPayer(0n);
    const [from, to] = [user.accountOf(key.publicKey), user.accountOf(thief.publicKey)];
    const mover = delegates().of(TENANT, true);
    const owner = publicKeyOf(mover.address);
    const pull = createTransferCheckedInstruction(from, user.mint(), to, owner, 700n, 6, [], user.program());
    const moved = await user.actWith([pull], thief, mover);

    const reader = createSolanaChainReader({
      chainId: CHAIN_ID,
      label: 'Test',
      rpc: new JsonRpc({ url: local.rpcUrl, timeoutMs: 5_000, batchMax: 20 }),
      delegates: delegates(),
      feePayers: [],
      tokens: [user.mint().toBase58()],
    });
    const evidence = await reader.evidence(await bench.read(charge));
    expect(evidence?.charge).toMatchObject({
      key: charge.key,
      merchant: reader.merchantOf(charge),
      gross: 10_000_000n,
    });
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
    readonly wish?: () => Partial<SolanaChargeWish>;
    readonly cycle?: number;
    readonly reason: 'pull_reverted' | 'insufficient_allowance';
    readonly kind: string;
  }
  const shares =
    (...list: NonNullable<SolanaChargeWish['shares']>) =>
    () => ({ shares: list });

  const cases: Readonly<Record<string, Case>> = {
    'more than one charge': { change: { perCharge: '9999999' }, reason: 'pull_reverted', kind: 'above_per_charge' },
    'a charge before the start': { change: { start: now + 3_600 }, reason: 'pull_reverted', kind: 'too_early' },
    'a charge after the end': { change: { end: now - 1 }, reason: 'insufficient_allowance', kind: 'too_late' },
    'a charge for a stranger': {
      wish: shares(['forward', stranger, 10_000_000n]),
      reason: 'pull_reverted',
      kind: 'not_payee',
    },
    'a higher fee': { change: { feeBps: 99 }, reason: 'pull_reverted', kind: 'above_fee' },
    'a fee for another platform': { change: { platform: stranger }, reason: 'pull_reverted', kind: 'not_payee' },
    'another key': {
      cycle: 1,
      wish: () => ({ key: `0x${'5'.repeat(64)}` }),
      reason: 'pull_reverted',
      kind: 'other_mandate',
    },
    'a mandate for another merchant': {
      change: { merchantId: 'mrc_b' },
      wish: () => ({ merchantId: 'mrc_a' }),
      reason: 'pull_reverted',
      kind: 'other_mandate',
    },
    'a mandate for another token': { change: { token: stranger }, reason: 'pull_reverted', kind: 'other_mandate' },
    'a mandate for another chain': { change: { chainId: 1 }, reason: 'pull_reverted', kind: 'other_mandate' },
    'a mandate that another wallet signed': {
      forged: ({ message }) => ({ signature: signatureOf(another, message) }),
      reason: 'insufficient_allowance',
      kind: 'bad_signature',
    },
    'a text without the mandate': {
      forged: () => ({ message: 'Hello', signature: '' }),
      reason: 'insufficient_allowance',
      kind: 'bad_signature',
    },
    'limits that were changed after the signature': {
      change: { perCharge: '5' },
      forged: () => ({ perCharge: '10000000' }),
      reason: 'insufficient_allowance',
      kind: 'bad_signature',
    },
  };

  it.each(Object.entries(cases))('nothing is taken by %s', async (_, { change, forged, wish, cycle, reason, kind }) => {
    const key = await payer();
    const signed = signedMandate(local.world, key, change);
    const mandate = { ...signed, ...forged?.(signed) };
    const resigned = mandate.signature === '' ? { signature: signatureOf(key, mandate.message) } : {};
    await store({ ...mandate, ...resigned });
    await begin();
    const found = await refused(mandateCharge(local.world, mandate, cycle, wish?.()));
    expect({ reason: found.reason, kind: found.refusal?.kind }).toEqual({ reason, kind });
    expect(bench.listener.reported.map(({ fact }) => fact)).toEqual([{ kind: 'refused', reason, landed: false }]);
    expect(await taken(key)).toBe(0n);
  });

  it('cannot be taken by a mandate that is not stored', async () => {
    const key = await payer();
    await begin();
    const found = await refused(mandateCharge(local.world, signedMandate(local.world, key)));
    expect(found).toMatchObject({ reason: 'pull_reverted', refusal: { kind: 'other_mandate' } });
    expect(await taken(key)).toBe(0n);
  });
});

describe('charges under one agreement', () => {
  it('end when all are made, also under several mandates of one agreement', async () => {
    const key = await payer();
    const first = signedMandate(local.world, key, { charges: 1, interval: 0 });
    const second = signedMandate(local.world, key, { ...first, issuedAt: 2 });
    await store(first, second);
    await begin();
    await made(mandateCharge(local.world, first, 1));
    expect(await refused(mandateCharge(local.world, first, 2))).toMatchObject({
      reason: 'insufficient_allowance',
      refusal: { kind: 'used_up' },
    });
    await made(mandateCharge(local.world, second, 3));
    expect(await refused(mandateCharge(local.world, first, 4))).toMatchObject({
      reason: 'insufficient_allowance',
      refusal: { kind: 'superseded' },
    });
    expect(await taken(key)).toBe(20_000_000n);
  });

  it('keep their rhythm: one may be ahead by an interval, and the next one may not', async () => {
    const key = await payer();
    const mandate = signedMandate(local.world, key);
    await store(mandate);
    let ahead = 0;
    await begin({ clock: () => new Date(Date.now() + ahead) });
    await made(mandateCharge(local.world, mandate, 1));
    await made(mandateCharge(local.world, mandate, 2));
    expect(await refused(mandateCharge(local.world, mandate, 3))).toMatchObject({
      reason: 'pull_reverted',
      refusal: { kind: 'ahead_of_rhythm' },
    });
    ahead = DAY * 1_000;
    await made(mandateCharge(local.world, mandate, 4));
    expect(await taken(key)).toBe(30_000_000n);
  });

  it('have cycles near each other', async () => {
    const key = await payer();
    const mandate = signedMandate(local.world, key, { interval: 0 });
    await store(mandate);
    await begin();
    await made(mandateCharge(local.world, mandate, 40));
    for (const cycle of [8, 72]) {
      const found = await refused(mandateCharge(local.world, mandate, cycle));
      expect(found).toMatchObject({ reason: 'pull_reverted', refusal: { kind: 'cycle_out_of_range' } });
    }
    await made(mandateCharge(local.world, mandate, 9));
    expect(await taken(key)).toBe(20_000_000n);
  });

  it('do not limit the charges of another payer with the same agreement', async () => {
    const keys = [await payer(), await payer()];
    const [one, other] = keys.map((key) =>
      signedMandate(local.world, key, { charges: 1, agreement: `0x${'3'.repeat(64)}` }),
    );
    if (!one || !other) throw new Error('there are two');
    await store(one, other);
    await begin();
    await made(mandateCharge(local.world, one));
    await made(mandateCharge(local.world, other, 2));
    expect(await Promise.all(keys.map(taken))).toEqual([10_000_000n, 10_000_000n]);
  });

  it('count in one batch and in two processes that sign at the same time', async () => {
    const key = await payer();
    const mandate = signedMandate(local.world, key, { charges: 1, interval: 0 });
    await store(mandate);
    const charges = [1, 2, 3, 4].map((cycle) => mandateCharge(local.world, mandate, cycle));
    await bench.charge(...charges);
    let count = 0;
    let meet = (): void => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const fault = async (point: string): Promise<void> => {
      if (point !== 'sender.started.after') return;
      count += 1;
      if (count === 2) meet();
      await met;
    };
    const [one = '', other = ''] = local.world.feePayers;
    await begin({ feePayers: [one], fault, sizes: { charges: 2 } });
    await begin({ feePayers: [other], fault, sizes: { charges: 2 } });
    await bench.untilState(charges, 'final', 'refused');
    const states = await Promise.all(charges.map(async (charge) => (await bench.read(charge)).state));
    expect(states.toSorted()).toEqual(['final', 'refused', 'refused', 'refused']);
    expect(await taken(key)).toBe(10_000_000n);
  });

  it('count by the time of their block when a restored ledger finds them on the chain', async () => {
    const key = await payer();
    const mandate = signedMandate(local.world, key);
    await store(mandate);
    await begin();
    await made(mandateCharge(local.world, mandate, 1));
    await bench.stop();

    // The ledger as it was before the charge, a day later.
    bench = new SolanaBench(local);
    await store(mandate);
    await begin({ clock: () => new Date(Date.now() + DAY * 1_000) });
    for (const cycle of [1, 2, 3]) await made(mandateCharge(local.world, mandate, cycle));
    expect(await taken(key)).toBe(30_000_000n);
    expect(await refused(mandateCharge(local.world, mandate, 4))).toMatchObject({
      refusal: { kind: 'ahead_of_rhythm' },
    });
  });

  it('do not count one whose transaction has expired: it is signed again', async () => {
    const key = await payer();
    const mandate = signedMandate(local.world, key, { charges: 1, interval: DAY });
    await store(mandate);
    const charge = mandateCharge(local.world, mandate);
    local.chain.drop(1_000_000);
    await begin();
    await bench.charge(charge);
    await bench.untilState([charge], 'sent');
    local.chain.drop(0);
    local.chain.skip(150 + 32 + 2);
    await bench.untilState([charge], 'final');
    expect(bench.listener.kinds(charge)).toEqual(['released', 'mined', 'final']);
    expect(await taken(key)).toBe(10_000_000n);
  });
});
