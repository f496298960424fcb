import fc from 'fast-check';
import { refundsOf } from '../../machines/payment/refunds.ts';
import type { RefundState as Refund } from '../../machines/refund/context.ts';
import { requestedRefund } from '../../machines/refund/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import type { FoundRefund } from '../../src/chains/port.ts';
import { step } from '../../src/engine/step.ts';
import { isSearchOver, refundEvents } from '../../src/model/refund.ts';
import { refundRequested, TestPayment } from '../machines/support/payment.ts';

const NOW = '2026-01-31T10:00:00.000Z';
const NOTHING = { found: [], gone: [] };

function requested(id: string, change: Partial<Refund> = {}): Refund {
  const event = refundRequested(id);
  if (event.type !== 'refund.requested') throw new Error('not a request');
  return { ...requestedRefund(event.refund, NOW), ...change };
}

function found(change: Partial<FoundRefund> = {}): FoundRefund {
  return {
    key: '0xkey',
    token: '0xtoken',
    receiver: '0xpayer',
    amount: 2_000_000n,
    transaction: '0xtx',
    index: 0,
    block: { number: 9, hash: '0xb9' },
    isFinal: true,
    ...change,
  };
}

describe('a reading of the chain', () => {
  it.each([
    ['another key', { key: '0xother' }],
    ['another receiver', { receiver: '0xother' }],
    ['a part of the amount', { amount: 1_999_999n }],
    ['more than the amount', { amount: 2_000_001n }],
  ])('tells nothing of a transfer with %s', (_, change) => {
    expect(refundEvents({ refunds: [requested('ref_1')] }, { ...NOTHING, found: [found(change)] }, 'evm')).toEqual([]);
  });

  it('gives a transfer to a refund that waits before one that has ended', () => {
    const refunds = [requested('ref_1', { status: 'failed', failure: 'canceled' }), requested('ref_2')];
    const facts = (...made: FoundRefund[]) => refundEvents({ refunds }, { ...NOTHING, found: made }, 'evm');
    const idsOf = (events: ReturnType<typeof facts>) => events.map((event) => 'refundId' in event && event.refundId);
    expect(idsOf(facts(found()))).toEqual(['ref_2']);
    expect(idsOf(facts(found(), found({ index: 1 })))).toEqual(['ref_2', 'ref_1']);
  });

  it('compares addresses of EVM without regard to case, those of Solana exactly', () => {
    const refunds = [requested('ref_1')];
    const reading = { ...NOTHING, found: [found({ receiver: '0xPAYER' })] };
    expect(refundEvents({ refunds }, reading, 'evm')).toHaveLength(1);
    expect(refundEvents({ refunds }, reading, 'solana')).toEqual([]);
  });

  it('says that a transfer is in another block, and says nothing twice', () => {
    const refunds = [settledIn(9)];
    expect(refundEvents({ refunds }, { ...NOTHING, found: [found()] }, 'evm')).toEqual([]);
    const block = { number: 10, hash: '0xb10' };
    expect(refundEvents({ refunds }, { ...NOTHING, found: [found({ block })] }, 'evm')).toEqual([
      { type: 'refund.settled', refundId: 'ref_1', transfer: { transaction: '0xtx', index: 0, block } },
    ]);
  });
});

/** A refund whose transfer is in the block of this number. */
function settledIn(number: number): Refund {
  const transfer = { transaction: '0xtx', index: 0, block: { number, hash: '0xb9' } };
  return requested('ref_1', { status: 'settled', transfer, settledAt: NOW });
}

describe('the search for transfers', () => {
  it.each([
    ['goes on while a refund is requested', requested('ref_1'), false],
    ['goes on while the block of a settled one can be removed', settledIn(9), false],
    ['ends with the finalized block of a settled one', settledIn(8), true],
    ['goes on for a month after the request of an expired one', requested('ref_1', { status: 'expired' }), false],
    ['ends then', requested('ref_1', { status: 'expired', requestedAt: '2025-12-31T10:00:00.000Z' }), true],
  ])('%s', (_, refund, isOver) => {
    expect(isSearchOver({ refunds: [refund] }, 8, new Date(NOW))).toBe(isOver);
  });
});

describe('readings of a chain whose blocks come and go', () => {
  /** How many transfers of each amount the chain shows, and how many refunds of each amount are requested. */
  const counts = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }));
  const AMOUNTS = [1_000_000, 500_000];

  it('settle as many refunds of an amount as there are transfers of it, however often they are read', () => {
    fc.assert(
      fc.property(counts, fc.array(counts, { maxLength: 6 }), (asked, readings) => {
        const payment = new TestPayment({ of: 'one-off' }).hears('started', 'final');
        AMOUNTS.forEach((amount, kind) => {
          for (let each = 0; each < (asked[kind] ?? 0); each += 1)
            payment.hears(refundRequested(`ref_${kind}${each}`, String(amount)));
        });
        let shown: FoundRefund[] = [];
        for (const reading of readings) {
          const now = AMOUNTS.flatMap((amount, kind) =>
            Array.from({ length: reading[kind] ?? 0 }, (_, index) =>
              found({ amount: BigInt(amount) * 2n, transaction: `0x${kind}`, index }),
            ),
          );
          const isThere = (each: FoundRefund) =>
            now.some(({ transaction, index }) => transaction === each.transaction && index === each.index);
          const state = { found: now, gone: shown.filter((each) => !isThere(each)) };
          for (const event of refundEvents(payment.context, state, 'evm')) {
            expect(step(MACHINES.payment.current, payment.state, { ...event, now: NOW }, null).taken).toBe(true);
            payment.hears(event);
          }
          shown = now;
          const settled = refundsOf(payment.context).filter(({ status }) => status === 'settled');
          AMOUNTS.forEach((amount, kind) => {
            const ofAmount = settled.filter((each) => each.amount === String(amount)).length;
            expect(ofAmount).toBe(Math.min(asked[kind] ?? 0, reading[kind] ?? 0));
          });
        }
      }),
    );
  });
});
