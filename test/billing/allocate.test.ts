import fc from 'fast-check';
import { rulesFor } from '../../src/billing/deposits/settle.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import {
  allocate,
  leftOf,
  type PaymentPhase,
  refundFellOut,
  refundLanded,
  refundMoved,
} from '../../src/model/deposit.ts';
import type { DepositArrival, DepositDoc } from '../../src/store/collections.ts';
import { arrival, deposit } from '../store/support/documents.ts';

const NOW = new Date('2026-01-31T10:00:00.000Z');
const TOKEN = '0xusdc';
const COST = 10n;
const RULES = { costOf: () => COST, keyOf: (id: string, round: number) => `${id}/${round}`, notBefore: NOW };

function arrived(index: number, amount: number, change: Partial<DepositArrival> = {}): DepositArrival {
  const block = { number: index, hash: `0xb${index}` };
  const open = { charged: '0', fate: 'open', held: null } as const;
  return arrival({ id: `dep_${index}`, token: TOKEN, amount: String(amount), block, ...open, ...change });
}

function book(arrivals: readonly DepositArrival[], change: Partial<DepositDoc> = {}): DepositDoc {
  const refundWallet = '0xrefund';
  return deposit({ _id: 'pay_1', token: TOKEN, due: '100', refundWallet, since: null, arrivals, ...change });
}

function fates(arrivals: readonly DepositArrival[]): string[] {
  return arrivals.map(({ charged, fate, held, refund }) =>
    [charged, fate, held, fate === 'refunding' ? `${refund?.amount} to ${refund?.to}` : null].filter(Boolean).join(' '),
  );
}

describe('the least amount that is refunded', () => {
  const costOn = (chainId: number, token: string) =>
    rulesFor({ catalog: buildCatalog() }, { chainId }, NOW).costOf(token);

  it('is the cost of a refund on the chain, in base units of the token', () => {
    expect(costOn(8453, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')).toBe(50_000n);
    expect(costOn(56, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d')).toBe(200_000_000_000_000_000n);
    expect(costOn(1, 'a token that is not in the catalog')).toBe(5_000_000_000_000_000_000n);
  });

  it('is not guessed for a chain without a row', () => {
    expect(() => costOn(250, '0x04068DA6C83AFCFA0e13ba15A6696662335D5B75')).toThrow('chain 250 is not in the catalog');
  });
});

describe('money sent for a payment', () => {
  it('stays while the payment may be charged from it', () => {
    const { arrivals } = book([arrived(1, 150)]);
    expect(allocate(book(arrivals), 'open', RULES)).toBe(arrivals);
  });

  it('pays in the order of arrival, and the rest goes to the refund wallet, whoever sent it', () => {
    const arrivals = [arrived(1, 60), arrived(2, 70, { from: '0xother' }), arrived(3, 20)];
    expect(fates(allocate(book(arrivals), 'settled', RULES))).toEqual([
      '60 charged',
      '40 refunding 30 to 0xrefund',
      '0 refunding 20 to 0xrefund',
    ]);
  });

  it('goes back completely when the payment has ended', () => {
    const arrivals = [arrived(1, 60), arrived(2, 70, { token: '0xusdt' })];
    expect(fates(allocate(book(arrivals), 'ended', RULES))).toEqual([
      '0 refunding 60 to 0xrefund',
      '0 refunding 70 to 0xrefund',
    ]);
  });

  it('pays nothing in another token', () => {
    expect(fates(allocate(book([arrived(1, 200, { token: '0xusdt' })]), 'settled', RULES))).toEqual([
      '0 refunding 200 to 0xrefund',
    ]);
  });

  it('is held if the refund costs more than it', () => {
    expect(fates(allocate(book([arrived(1, 9), arrived(2, 10)]), 'ended', RULES))).toEqual([
      '0 held below_cost',
      '0 refunding 10 to 0xrefund',
    ]);
  });

  it('is held without a refund wallet, and goes to the one that is named later', () => {
    const arrivals = [arrived(1, 130), arrived(2, 9), arrived(3, 40, { token: '0xusdt' })];
    const held = allocate(book(arrivals, { refundWallet: null }), 'settled', RULES);
    expect(fates(held)).toEqual(['100 held no_refund_wallet', '0 held no_refund_wallet', '0 held no_refund_wallet']);
    expect(allocate(book(held, { refundWallet: null }), 'settled', RULES)).toEqual(held);
    expect(fates(allocate(book(held), 'settled', RULES))).toEqual([
      '100 refunding 30 to 0xrefund',
      '0 held below_cost',
      '0 refunding 40 to 0xrefund',
    ]);
  });

  it('goes back under another key if the charge is reorged out after the rest went back', () => {
    const [first] = allocate(book([arrived(1, 130)]), 'settled', RULES);
    if (!first) throw new Error('nothing was decided');
    const landed = refundLanded(first, '0xrefund', '30');
    expect(fates(allocate(book([landed]), 'settled', RULES))).toEqual(['100 refunded']);
    const [again] = allocate(book([landed]), 'ended', RULES);
    expect(again).toMatchObject({ refunded: '30', refund: { key: 'dep_1/2', attempt: 1, amount: '100' } });
  });

  it('went back in the transaction that has it after a reorg', () => {
    const [first] = allocate(book([arrived(1, 50)]), 'ended', RULES);
    if (!first) throw new Error('nothing was decided');
    const landed = refundLanded(first, '0xrefund', '50');
    const moved = { ...landed, refund: { ...landed.refund, txHash: '0xother' } };
    expect(refundMoved(landed, '0xother')).toEqual(moved);
    expect(refundMoved(first, '0xother')).toBe(first);
  });

  it('goes back again under the same key if the refund is reorged out', () => {
    const [first] = allocate(book([arrived(1, 50)]), 'ended', RULES);
    if (!first) throw new Error('nothing was decided');
    const [again] = allocate(book([refundFellOut(refundLanded(first, '0xrefund', '50'))]), 'ended', RULES);
    expect(again).toMatchObject({ refunded: '0', refund: { key: 'dep_1/1', attempt: 2, amount: '50' } });
  });
});

const someArrival = fc.record({
  amount: fc.integer({ min: 1, max: 150 }),
  token: fc.constantFrom(TOKEN, TOKEN, '0xusdt'),
});
/** The chain's next facts about all refunds on their way. */
const lands = fc.constantFrom<'lands' | 'waits'>('lands', 'waits');
const step = fc.record({ phase: fc.constantFrom<PaymentPhase>('open', 'settled', 'ended'), more: someArrival, lands });

describe('any arrivals and any end of the payment', () => {
  it('charge, refund or keep every base unit, and never charge more than is due', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.boolean(), (steps, hasWallet) => {
        let doc = book([], { refundWallet: hasWallet ? '0xrefund' : null });
        for (const [index, { phase, more, lands: next }] of steps.entries()) {
          const { amount, ...rest } = more;
          doc = { ...doc, arrivals: [...doc.arrivals, arrived(index + 1, amount, rest)] };
          doc = { ...doc, arrivals: allocate(doc, phase, RULES) };
          expect(allocate(doc, phase, RULES)).toEqual(doc.arrivals);
          if (next === 'lands') {
            const landed = doc.arrivals.map((each) =>
              each.fate === 'refunding' && each.refund ? refundLanded(each, '0xtx', each.refund.amount) : each,
            );
            doc = { ...doc, arrivals: landed };
          }
          for (const each of doc.arrivals) {
            expect(leftOf(each)).toBeGreaterThanOrEqual(0n);
            if (each.fate === 'charged' || each.fate === 'refunded') expect(leftOf(each)).toBe(0n);
            if (each.token !== TOKEN) expect(each.charged).toBe('0');
          }
          const charged = doc.arrivals.reduce((sum, each) => sum + BigInt(each.charged), 0n);
          expect(charged).toBeLessThanOrEqual(100n);
        }
      }),
    );
  });
});
