import { TypedDataEncoder } from 'ethers';
import { type Agreed, draftMandate } from '../../src/billing/mandates/draft.ts';
import { mandateIdOf, typedDataOf } from '../../src/chains/mandates.ts';
import { mandateView, typedDataView } from '../../src/checkout/views/permit.ts';
import { feeUnder, payeeUnder } from '../../src/model/consent.ts';
import { ALICE, BOB, CAROL } from '../support/bodies.ts';
import { mandateDoc } from '../support/mandate-doc.ts';

const NOW = new Date('2027-03-01T00:00:00.500Z');
const NOW_S = Math.floor(NOW.getTime() / 1_000);

function agreed(change: Partial<Agreed> = {}): Agreed {
  return {
    tenant: { merchantId: 'mrc_a', mode: 'live' },
    family: 'evm',
    chainId: 8453,
    router: CAROL,
    payer: ALICE,
    token: BOB,
    perCharge: 10n,
    per30Days: null,
    rhythm: { kind: 'recurring', interval: { unit: 'month', count: 1 }, charges: null, startsAt: NOW },
    platform: null,
    payees: [BOB],
    statement: 'ten a month',
    before: [],
    ...change,
  };
}

describe('the mandate that a payer is asked to sign', () => {
  it('has the agreement of the one before it, and is issued later even in the same second', () => {
    const before = mandateDoc({ payer: ALICE, router: CAROL, issuedAt: NOW_S });
    const draft = draftMandate(agreed({ before: [before] }), NOW);
    expect([draft.agreement, draft.issuedAt]).toEqual([before.agreement, NOW_S + 1]);
  });

  it('follows the latest of that wallet, where new terms are signed beside the present ones', () => {
    const present = mandateDoc({ payer: ALICE, router: CAROL, issuedAt: NOW_S + 1 });
    const coming = { ...present, issuedAt: NOW_S + 2 };
    const other = mandateDoc({ payer: BOB, router: CAROL, issuedAt: NOW_S + 9, agreement: '0x99' });
    const draft = draftMandate(agreed({ before: [other, coming, present] }), NOW);
    expect([draft.agreement, draft.issuedAt]).toEqual([present.agreement, NOW_S + 3]);
  });

  it.each([
    ['payer', { payer: BOB }],
    ['router', { router: BOB }],
  ])('has another agreement if the one before it has another %s', (_, other) => {
    const before = mandateDoc({ payer: ALICE, router: CAROL, ...other });
    expect(draftMandate(agreed({ before: [before] }), NOW).agreement).not.toBe(before.agreement);
  });

  it('has the rhythm and the start of the terms in live mode, and neither in test mode', () => {
    const startsAt = new Date(NOW.getTime() + 8 * 86_400_000);
    const rhythm = { kind: 'recurring', interval: { unit: 'month', count: 1 }, charges: 3, startsAt } as const;
    const start = NOW_S + 8 * 86_400 - 3_600;
    expect(draftMandate(agreed({ rhythm }), NOW)).toMatchObject({ interval: 0, months: 1, charges: 3, start, end: 0 });
    const tenant = { merchantId: 'mrc_a', mode: 'test' } as const;
    expect(draftMandate(agreed({ tenant, rhythm }), NOW)).toMatchObject({
      interval: 0,
      months: 0,
      charges: 3,
      start: 0,
      end: 0,
    });
  });

  it('has a limit of 30 days in place of rhythm and start, and in test mode none of them', () => {
    const live = draftMandate(agreed({ per30Days: 40n }), NOW);
    expect(live).toMatchObject({ perCharge: '10', per30Days: '40', interval: 0, months: 0, start: 0, charges: 0 });
    const test = draftMandate(agreed({ per30Days: 40n, tenant: { merchantId: 'mrc_a', mode: 'test' } }), NOW);
    expect([test.per30Days, draftMandate(agreed(), NOW).per30Days]).toEqual([undefined, undefined]);
  });

  it.each([40_000_000n, null])('is signed as its id says, and shown, with a limit of 30 days of %s', (per30Days) => {
    const draft = draftMandate(agreed({ perCharge: 10_000_000n, per30Days }), NOW);
    const data = typedDataView(typedDataOf(draft));
    if (data === null) throw new Error('a mandate of a router has typed data');
    const { domain, types, message } = data;
    expect(TypedDataEncoder.hash(domain, { Mandate: types.Mandate }, message)).toBe(mandateIdOf(draft));
    expect(message.per30Days).toBe(per30Days?.toString());
    const shown = { perCharge: '10.00', per30Days: per30Days && '40.00' };
    expect(mandateView(draft, 6)).toMatchObject(shown);
  });

  it('of one payment allows one charge, until a day is over', () => {
    const end = NOW_S + 86_400 + 3_600;
    expect(draftMandate(agreed({ rhythm: { kind: 'once' } }), NOW)).toMatchObject({ charges: 1, interval: 0, end });
  });
});

describe('a charge under a mandate', () => {
  const mandate = mandateDoc({ feeBps: 100, payees: [BOB, CAROL] });

  it('takes no higher fee than the payer has signed', () => {
    expect([feeUnder(mandate, 250), feeUnder(mandate, 50), feeUnder(undefined, 250)]).toEqual([100, 50, 250]);
  });

  it('of one payment goes to the payout wallet if the payer has signed it, else to the one that was signed', () => {
    expect([payeeUnder(mandate, CAROL), payeeUnder(mandate, ALICE), payeeUnder(undefined, ALICE)]).toEqual([
      CAROL,
      BOB,
      ALICE,
    ]);
  });
});
