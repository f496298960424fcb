import { Wallet } from 'ethers';
import { keyOfCycle, keyOfPayment, keyUnder } from '../../../stage/ledger.ts';
import type { Envelope } from '../../../stage/receiver.ts';
import type { ApiPayment } from '../../../tools/crashtest/api-state.ts';
import { type Evidence, judge, type Requested } from '../../../tools/crashtest/judge.ts';
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

function payment(id: string, txHash: string, change: Partial<ApiPayment> = {}): ApiPayment {
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

function charge(key: string, gross: bigint, txHash: string) {
  return { key, from: PAYER, gross, txHash };
}

interface Found {
  asked: Requested & { stories: { all: Story[] }; merchant: { receiver: { accepted: Envelope[]; refused: string[] } } };
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
      chain: { router: ROUTER },
      sale: {
        payers: [{ wallet: PAYER, customerId: 'cust_1', signer: null }, SIGNER],
        recipients: [MERCHANT, PLATFORM],
      },
      merchant: { receiver: { accepted, refused: [] } },
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

type Change = (found: Found) => Partial<Evidence> | undefined;

function verdictOn(change: Change): string[] {
  const found = sound();
  const evidence = { ...found.evidence, ...change(found) };
  return judge(found.asked, evidence).map(({ what }) => what);
}

/** Another ledger of the chain. */
function onChain(change: (ledger: Evidence['ledger']) => Partial<Evidence['ledger']>): Change {
  return ({ evidence: { ledger } }) => ({ ledger: { ...ledger, ...change(ledger) } });
}

/** Another view of a payment in the API. */
function inApi(paymentId: string, change: object = {}): Change {
  const changed = payment(paymentId, '0xb', change);
  return ({ evidence: { reported } }) => {
    return { reported: { ...reported, payments: new Map([...reported.payments, [paymentId, changed]]) } };
  };
}

/** Other documents in the database. */
function inStore(change: (found: Found) => Partial<Evidence['stored']>): Change {
  return (found) => ({ stored: { ...found.evidence.stored, ...change(found) } });
}

/** Other requests of the merchant, or other arrivals at its receiver. */
function atMerchant(change: (asked: Found['asked']) => unknown): Change {
  return ({ asked }) => void change(asked);
}

const AGAIN = came(4, 'payment.succeeded', { subscriptionId: SUB });

describe('the judge of a crash test', () => {
  it('finds nothing if every charge was made once and every event arrived', () => {
    expect(verdictOn(() => undefined)).toEqual([]);
  });

  it('accepts a repeated event', () => {
    expect(verdictOn(atMerchant(({ merchant: { receiver } }) => receiver.accepted.push(AGAIN)))).toEqual([]);
  });

  it('lets an event arrive late if its first attempt failed, and no other', () => {
    const late = ({ asked }: Found) => {
      const { accepted } = asked.merchant.receiver;
      const [first] = accepted.splice(0, 1);
      if (first) accepted.push(first);
      return first?.id ?? '';
    };
    expect(verdictOn((found) => void late(found)).join()).toMatch(/arrived as: 2 .*, 1 subscription.created/);
    expect(verdictOn(inStore((found) => ({ retried: new Set([late(found)]) })))).toEqual([]);
  });

  const stray = (from: string, value: bigint, txHash: string) => ({ from, to: MERCHANT, value, txHash });
  const tamperings: readonly [string, Change, RegExp][] = [
    [
      'a key that was charged twice',
      onChain(({ charges }) => ({ charges: [...charges, ...charges.slice(0, 1)] })),
      /was charged 2 times/,
    ],
    [
      'a charge that nobody asked for',
      onChain(({ charges }) => ({ charges: [...charges, charge(keyOfCycle(SUB, 3), 10_000_000n, '0xc')] })),
      /unexpected charge/,
    ],
    [
      'money that has moved past the router',
      onChain(({ transfers }) => ({ transfers: [...transfers, stray(PAYER, 10_000_000n, '0xc')] })),
      /10000000 left the payers in 0xc for charges of 0/,
    ],
    [
      'a cycle that was charged under two agreements',
      onChain(({ charges, transfers }) => ({
        charges: [...charges, charge(keyUnder(OTHER_AGREEMENT, 1), 10_000_000n, '0xc')],
        transfers: [...transfers, ...split('0xc')],
      })),
      /unexpected charge of 10000000/,
    ],
    [
      'a charge under a mandate that took too much',
      onChain(({ charges }) => ({ charges: charges.with(3, charge(keyUnder(AGREEMENT, 1), 11_000_000n, '0xb')) })),
      /charged 11000000 for key .*; expected 10000000/,
    ],
    [
      'tokens that left a payer beside the charges of their transaction',
      onChain(({ transfers }) => ({ transfers: [...transfers, stray(SIGNER.wallet, 1n, '0xb')] })),
      /23000001 left the payers in 0xb for charges of 23000000/,
    ],
    [
      'a charge under a mandate that another wallet received',
      onChain(({ transfers }) => ({
        transfers: [...transfers.filter(({ from }) => from !== SIGNER.wallet), ...split('0xb', '0xthief')],
      })),
      /9900000 went to 0xthief in 0xb/,
    ],
    [
      'a charge under a mandate that the chain does not have',
      onChain(({ charges }) => ({ charges: charges.slice(0, -1) })),
      /sub_4: names 0xb; the chain charged in none/,
    ],
    [
      'money that is left in the router',
      onChain(({ transfers }) => ({ transfers: transfers.slice(0, -1) })),
      /3000000 base units are left/,
    ],
    [
      'a settled payment that the chain does not have',
      onChain(({ charges, transfers }) => ({ charges: charges.slice(1), transfers: transfers.slice(2) })),
      /was charged 0 times/,
    ],
    ['a payment that has failed', inApi('pay_2', { status: 'failed' }), /pay_2 is failed/],
    ['a cycle with two payments', inApi('pay_4'), /has 3 payments; 2 are due/],
    [
      'a cycle too many',
      atMerchant(({ stories }) => stories.all.splice(0, 1, { ...story('subscription', SUB), asked: 1 })),
      /has 2 cycles; 1 were requested/,
    ],
    [
      'a charge that was answered twice',
      atMerchant(({ stories }) => {
        stories.all.splice(0, 1, { ...story('subscription', SUB), answered: ['pay_2', 'pay_2'] });
      }),
      /two answers reported one charge/,
    ],
    [
      'an answered subscription that is gone',
      ({ evidence: { reported } }) => ({ reported: { ...reported, subscriptions: new Map() } }),
      /does not exist any more/,
    ],
    [
      'a request that was never answered',
      atMerchant(({ stories }) => stories.all.push({ ...story('payment', 'pay_9'), id: null })),
      /never answered/,
    ],
    [
      'an event that never came',
      atMerchant(({ merchant: { receiver } }) => receiver.accepted.splice(3, 1)),
      /1 events never came/,
    ],
    [
      'an event of which the log knows nothing',
      inStore(({ evidence: { stored } }) => ({ events: new Set([...stored.events].slice(1)) })),
      /not in the log/,
    ],
    [
      'a transition with two events',
      atMerchant(({ merchant: { receiver } }) => receiver.accepted.push({ ...AGAIN, id: 'evt_other' })),
      /arrived under 2 ids/,
    ],
    [
      'an event before the one that it follows',
      atMerchant(({ merchant: { receiver } }) => receiver.accepted.reverse()),
      /its events arrived as: 4 payment.succeeded/,
    ],
    [
      'a delivery that was refused',
      atMerchant(({ merchant: { receiver } }) => receiver.refused.push('it is not signed')),
      /not signed/,
    ],
    ['an effect that was never carried out', inStore(() => ({ unrelayed: [SUB] })), /1 outboxes are not empty/],
    [
      'an actor that was quarantined',
      inStore(() => ({ quarantined: [{ id: SUB, reason: 'too many' }] })),
      /was quarantined: too many/,
    ],
    ['a delivery without an end', inStore(() => ({ undelivered: ['dlv_1'] })), /1 deliveries have not ended/],
  ];
  it.each(tamperings)('finds %s', (_, change, what) => {
    expect(verdictOn(change)).toContainEqual(expect.stringMatching(what));
  });
});
