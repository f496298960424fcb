import { Wallet } from 'ethers';
import { keyOfCycle, keyOfPayment, keyUnder } from '../../../stage/ledger.ts';
import type { Envelope } from '../../../stage/receiver.ts';
import { type Asked, type Evidence, judge } from '../../../tools/crashtest/judge.ts';
import type { Story } from '../../../tools/crashtest/stories.ts';

const SUB = 'sub_1';
const PAY = 'pay_3';
const ROUTER = '0xrouter';
const PAYER = '0xpayer';
const MERCHANT = '0xmerchant';
const PLATFORM = '0xplatform';

/** A subscription whose payer has signed a mandate. */
const SIGNED = 'sub_4';
const SIGNER = { wallet: '0xsigner', customerId: 'cust_2', signer: new Wallet(`0x${'11'.repeat(32)}`) };
const AGREEMENT = `0x${'22'.repeat(32)}`;
const OTHER_AGREEMENT = `0x${'33'.repeat(32)}`;

function story(kind: Story['kind'], id: string): Story {
  const payer = { wallet: PAYER, customerId: 'cust_1', signer: null };
  return {
    kind,
    about: 'a test',
    idempotencyKey: `key-${id}`,
    payer,
    id,
    asked: kind === 'payment' ? 1 : 2,
    agreements: [],
    answered: [],
  };
}

function came(sequence: number, event: string, data: { readonly [key: string]: string }): Envelope {
  const id = `evt_${Object.values(data).join()}_${sequence}`;
  return { id, event, sequence, createdAt: '2026-01-31T10:00:00.000Z', isSandbox: true, data };
}

function payment(id: string, txHash: string, change: object = {}) {
  const subscriptionId = id === PAY ? null : SUB;
  const amount = id === PAY ? '3.00' : '10.00';
  return { id, subscriptionId, status: 'settled', amount, pullTxHash: txHash, ...change };
}

/** A payment of the subscription under a mandate. */
function paid(txHash: string) {
  return payment('pay_5', txHash, { subscriptionId: SIGNED });
}

/** Under a mandate the tokens go straight to the recipients. */
function split(txHash: string, merchant = MERCHANT) {
  return [
    { from: SIGNER.wallet, to: merchant, value: 9_900_000n, txHash },
    { from: SIGNER.wallet, to: PLATFORM, value: 100_000n, txHash },
  ];
}

function pull(value: bigint, txHash: string) {
  return [
    { from: PAYER, to: ROUTER, value, txHash },
    { from: ROUTER, to: MERCHANT, value, txHash },
  ];
}

interface Found {
  asked: Asked & { stories: { all: Story[] }; receiver: { accepted: Envelope[]; refused: string[] } };
  evidence: Evidence;
}

/** A subscription charged twice, a payment, and a charge under a mandate, without any violation. */
function sound(): Found {
  const about = { subscriptionId: SUB };
  const accepted = [
    came(1, 'subscription.created', about),
    came(2, 'payment.succeeded', about),
    came(1, 'payment.succeeded', { paymentId: PAY }),
    came(3, 'subscription.active', about),
    came(4, 'payment.succeeded', about),
    came(1, 'subscription.created', { subscriptionId: SIGNED }),
    came(2, 'payment.succeeded', { subscriptionId: SIGNED }),
    came(3, 'subscription.active', { subscriptionId: SIGNED }),
  ];
  const charge = (key: string, gross: bigint, txHash: string) => ({ key, from: PAYER, gross, txHash });
  const payments = [payment('pay_1', '0xa'), payment('pay_2', '0xb'), payment(PAY, '0xb'), paid('0xb')];
  return {
    asked: {
      stories: {
        all: [
          story('subscription', SUB),
          story('payment', PAY),
          { ...story('subscription', SIGNED), payer: SIGNER, agreements: [OTHER_AGREEMENT, AGREEMENT] },
        ],
      },
      facts: { router: ROUTER },
      shop: {
        payers: [{ wallet: PAYER, customerId: 'cust_1', signer: null }, SIGNER],
        recipients: [MERCHANT, PLATFORM],
      },
      receiver: { accepted, refused: [] },
    },
    evidence: {
      reported: {
        subscriptions: new Map([
          [SUB, { id: SUB, status: 'active', cyclesCompleted: 2, consecutiveFailures: 0 }],
          [SIGNED, { id: SIGNED, status: 'active', cyclesCompleted: 1, consecutiveFailures: 0 }],
        ]),
        payments: new Map(payments.map((each) => [each.id, each])),
      },
      ledger: {
        charges: [
          charge(keyOfCycle(SUB, 1), 10_000_000n, '0xa'),
          charge(keyOfCycle(SUB, 2), 10_000_000n, '0xb'),
          charge(keyOfPayment(PAY), 3_000_000n, '0xb'),
          charge(keyUnder(AGREEMENT, 1), 10_000_000n, '0xb'),
        ],
        transfers: [
          ...pull(10_000_000n, '0xa'),
          ...split('0xb'),
          ...pull(10_000_000n, '0xb'),
          ...pull(3_000_000n, '0xb'),
        ],
      },
      stored: {
        events: new Set(accepted.map(({ id }) => id)),
        unrelayed: [],
        quarantined: [],
        undelivered: [],
        retried: new Set(),
      },
    },
  };
}

function verdictOn(change: (found: Found) => Partial<Evidence> | undefined): string[] {
  const found = sound();
  const evidence = { ...found.evidence, ...change(found) };
  return judge(found.asked, evidence).map(({ what }) => what);
}

describe('the judge of a crash test', () => {
  it('finds nothing if every charge was made once and every event arrived', () => {
    expect(verdictOn(() => undefined)).toEqual([]);
  });

  it('accepts a repeated event', () => {
    expect(
      verdictOn(
        ({ asked }) => void asked.receiver.accepted.push(came(4, 'payment.succeeded', { subscriptionId: SUB })),
      ),
    ).toEqual([]);
  });

  it('lets an event arrive late if its first attempt failed, and no other', () => {
    const late = ({ asked: { receiver } }: Found) => {
      const [first] = receiver.accepted.splice(0, 1);
      if (first) receiver.accepted.push(first);
      return first?.id ?? '';
    };
    expect(verdictOn((found) => void late(found)).join()).toMatch(/arrived as: 2 .*, 1 subscription.created/);
    const stored = (found: Found) => ({ stored: { ...found.evidence.stored, retried: new Set([late(found)]) } });
    expect(verdictOn(stored)).toEqual([]);
  });

  const tamperings: readonly [string, (found: Found) => Partial<Evidence> | undefined, RegExp][] = [
    [
      'a key that was charged twice',
      ({ evidence: { ledger } }) => ({
        ledger: { ...ledger, charges: [...ledger.charges, ...ledger.charges.slice(0, 1)] },
      }),
      /was charged 2 times/,
    ],
    [
      'a charge that nobody asked for',
      ({ evidence: { ledger } }) => {
        const stray = { key: keyOfCycle(SUB, 3), from: PAYER, gross: 10_000_000n, txHash: '0xc' };
        return { ledger: { ...ledger, charges: [...ledger.charges, stray] } };
      },
      /unexpected charge/,
    ],
    [
      'money that has moved past the router',
      ({ evidence: { ledger } }) => {
        const stray = { from: PAYER, to: MERCHANT, value: 10_000_000n, txHash: '0xc' };
        return { ledger: { ...ledger, transfers: [...ledger.transfers, stray] } };
      },
      /10000000 left the payers in 0xc for charges of 0/,
    ],
    [
      'a cycle that was charged under two agreements',
      ({ evidence: { ledger } }) => {
        const twice = { key: keyUnder(OTHER_AGREEMENT, 1), gross: 10_000_000n, txHash: '0xc' };
        return {
          ledger: { charges: [...ledger.charges, twice], transfers: [...ledger.transfers, ...split('0xc')] },
        };
      },
      /unexpected charge of 10000000/,
    ],
    [
      'a charge under a mandate that took too much',
      ({ evidence: { ledger } }) => {
        const more = { ...ledger.charges[3], key: keyUnder(AGREEMENT, 1), gross: 11_000_000n, txHash: '0xb' };
        return { ledger: { ...ledger, charges: ledger.charges.with(3, more) } };
      },
      /charged 11000000 for key .*; expected 10000000/,
    ],
    [
      'tokens that left a payer beside the charges of their transaction',
      ({ evidence: { ledger } }) => {
        const stray = { from: SIGNER.wallet, to: MERCHANT, value: 1n, txHash: '0xb' };
        return { ledger: { ...ledger, transfers: [...ledger.transfers, stray] } };
      },
      /23000001 left the payers in 0xb for charges of 23000000/,
    ],
    [
      'a charge under a mandate that another wallet received',
      ({ evidence: { ledger } }) => {
        const others = ledger.transfers.filter(({ from }) => from !== SIGNER.wallet);
        return { ledger: { ...ledger, transfers: [...others, ...split('0xb', '0xthief')] } };
      },
      /9900000 went to 0xthief in 0xb/,
    ],
    [
      'a charge under a mandate that the chain does not have',
      ({ evidence: { ledger } }) => ({ ledger: { ...ledger, charges: ledger.charges.slice(0, -1) } }),
      /sub_4: names 0xb; the chain charged in none/,
    ],
    [
      'money that is left in the router',
      ({ evidence: { ledger } }) => ({ ledger: { ...ledger, transfers: ledger.transfers.slice(0, -1) } }),
      /3000000 base units are left/,
    ],
    [
      'a settled payment that the chain does not have',
      ({ evidence: { ledger } }) => ({
        ledger: { charges: ledger.charges.slice(1), transfers: ledger.transfers.slice(2) },
      }),
      /was charged 0 times/,
    ],
    [
      'a payment that has failed',
      ({ evidence: { reported } }) => ({
        reported: {
          ...reported,
          payments: new Map([...reported.payments, ['pay_2', payment('pay_2', '0xb', { status: 'failed' })]]),
        },
      }),
      /pay_2 is failed/,
    ],
    [
      'a cycle with two payments',
      ({ evidence: { reported } }) => ({
        reported: { ...reported, payments: new Map([...reported.payments, ['pay_4', payment('pay_4', '0xb')]]) },
      }),
      /has 3 payments; 2 are due/,
    ],
    [
      'a cycle too many',
      ({ asked }) => void asked.stories.all.splice(0, 1, { ...story('subscription', SUB), asked: 1 }),
      /has 2 cycles; 1 were requested/,
    ],
    [
      'a charge that was answered twice',
      ({ asked }) =>
        void asked.stories.all.splice(0, 1, { ...story('subscription', SUB), answered: ['pay_2', 'pay_2'] }),
      /two answers reported one charge/,
    ],
    [
      'an answered subscription that is gone',
      ({ evidence: { reported } }) => ({ reported: { ...reported, subscriptions: new Map() } }),
      /does not exist any more/,
    ],
    [
      'a request that was never answered',
      ({ asked }) => void asked.stories.all.push({ ...story('payment', 'pay_9'), id: null }),
      /never answered/,
    ],
    ['an event that never came', ({ asked }) => void asked.receiver.accepted.splice(3, 1), /1 events never came/],
    [
      'an event of which the log knows nothing',
      ({ evidence: { stored } }) => ({ stored: { ...stored, events: new Set([...stored.events].slice(1)) } }),
      /not in the log/,
    ],
    [
      'a transition with two events',
      ({ asked }) => {
        const again = came(4, 'payment.succeeded', { subscriptionId: SUB });
        asked.receiver.accepted.push({ ...again, id: 'evt_other' });
        return undefined;
      },
      /arrived under 2 ids/,
    ],
    [
      'an event before the one that it follows',
      ({ asked }) => void asked.receiver.accepted.reverse(),
      /its events arrived as: 4 payment.succeeded/,
    ],
    ['a delivery that was refused', ({ asked }) => void asked.receiver.refused.push('it is not signed'), /not signed/],
    [
      'an effect that was never carried out',
      ({ evidence: { stored } }) => ({ stored: { ...stored, unrelayed: [SUB] } }),
      /1 outboxes are not empty/,
    ],
    [
      'an actor that was quarantined',
      ({ evidence: { stored } }) => ({ stored: { ...stored, quarantined: [{ id: SUB, reason: 'too many' }] } }),
      /was quarantined: too many/,
    ],
    [
      'a delivery without an end',
      ({ evidence: { stored } }) => ({ stored: { ...stored, undelivered: ['dlv_1'] } }),
      /1 deliveries have not ended/,
    ],
  ];
  it.each(tamperings)('finds %s', (_, change, what) => {
    expect(verdictOn(change)).toContainEqual(expect.stringMatching(what));
  });
});
