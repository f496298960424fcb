import type { Json } from '../../machines/json.ts';
import type { SubscriptionContext } from '../../machines/subscription/context.ts';
import { reserveOf } from '../../src/billing/allowances/claim-changes.ts';
import { type Claim, coverageOfClaims, reservedBefore } from '../../src/billing/allowances/coverage.ts';
import { newMonthly, renewing } from '../machines/support/subscription.ts';
import { actor } from '../store/support/documents.ts';

function claim(id: string, change: Partial<Claim> = {}): Claim {
  return { id, amount: 10n, authorizedAt: null, createdAt: `2026-01-01T00:00:0${id}.000Z`, reserve: 'sure', ...change };
}

const FIRST = claim('5', { authorizedAt: '2026-02-01T00:00:00.000Z' });
const SECOND = claim('1', { authorizedAt: '2026-02-02T00:00:00.000Z' });
const OLDER = claim('2');
const NEWER = claim('3');

function covered(claims: readonly Claim[], allowance: bigint, balance = allowance): string[] {
  return coverageOfClaims(claims, { allowance, balance }).map(
    ({ id, covers, payable }) => `${id}${covers ? ' covers' : ''}${payable ? ' pays' : ''}`,
  );
}

describe('an allowance', () => {
  it('covers authorized subscriptions in the order of authorization, and then the newest waiting one', () => {
    const claims = [OLDER, SECOND, NEWER, FIRST];
    expect(covered(claims, 40n)).toEqual(['5 covers pays', '1 covers pays', '3 covers pays', '2 covers pays']);
    expect(covered(claims, 39n)).toEqual(['5 covers pays', '1 covers pays', '3 covers pays', '2']);
    expect(covered(claims, 19n)).toEqual(['5 covers pays', '1', '3', '2']);
  });

  it('reserves nothing for a waiting subscription that it does not cover', () => {
    expect(covered([claim('9', { amount: 30n }), OLDER], 20n)).toEqual(['9', '2 covers pays']);
  });

  it('shows separately what the balance lacks', () => {
    expect(covered([FIRST, SECOND], 20n, 10n)).toEqual(['5 covers pays', '1 covers']);
  });

  it('reserves nothing if no charge will follow', () => {
    expect(covered([{ ...FIRST, reserve: 'none' }, SECOND], 10n)).toEqual(['5 covers pays', '1 covers pays']);
    expect(covered([{ ...FIRST, reserve: 'unsure' }, SECOND], 10n)).toEqual(['5 covers pays', '1']);
  });
});

describe('the reserve for a charge', () => {
  const idsBefore = (claims: readonly Claim[], id: string | null) => reservedBefore(claims, id).map((each) => each.id);

  it('of a subscription counts those that were authorized before it', () => {
    const claims = [OLDER, SECOND, FIRST];
    expect(idsBefore(claims, FIRST.id)).toEqual([]);
    expect(idsBefore(claims, SECOND.id)).toEqual([FIRST.id]);
    expect(idsBefore(claims, OLDER.id)).toEqual([FIRST.id, SECOND.id]);
  });

  it('of a payment counts all authorized subscriptions, and no waiting one', () => {
    expect(idsBefore([OLDER, SECOND, FIRST], null)).toEqual([FIRST.id, SECOND.id]);
  });

  it('of an ended subscription is nothing', () => {
    expect(idsBefore([SECOND, FIRST], 'over')).toEqual([]);
  });

  it('counts nothing for a subscription without a further charge', () => {
    expect(idsBefore([{ ...FIRST, reserve: 'none' }, SECOND], null)).toEqual([SECOND.id]);
  });
});

describe('the next charge of a subscription', () => {
  const { open } = renewing().context;
  const cancelAt = open?.periodEnd ?? null;

  function reserve(value: Json, change: Partial<SubscriptionContext>) {
    const context = { ...newMonthly({ terms: { maxCycles: 3 } }), ...change };
    return reserveOf(actor({ _id: 'sub_1', value, context }));
  }

  it('exists while not all of its cycles are paid or in flight', () => {
    expect(reserve({ active: 'waiting' }, { cyclesCompleted: 2 })).toBe('sure');
    expect(reserve({ active: 'charging' }, { cyclesCompleted: 1, open })).toBe('sure');
    expect(reserve({ past_due: 'waiting' }, { cyclesCompleted: 2, open })).toBe('sure');
  });

  it('may not exist while the last cycle is in flight', () => {
    expect(reserve({ active: 'charging' }, { cyclesCompleted: 2, open })).toBe('unsure');
    expect(reserve({ active: 'charging' }, { cyclesCompleted: 1, open, cancelAt })).toBe('unsure');
  });

  it('does not exist when all cycles are paid, or when it ends with its period', () => {
    expect(reserve({ active: 'waiting' }, { cyclesCompleted: 3 })).toBe('none');
    expect(reserve({ active: 'waiting' }, { cyclesCompleted: 1, cancelAt })).toBe('none');
  });
});
