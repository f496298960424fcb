import { addDays } from '../../machines/rules/period.ts';
import {
  active,
  COVERED,
  charging,
  dunned,
  MONTHLY,
  pastDue,
  renewing,
  retrying,
  START,
  TestSubscription,
  UNCOVERED,
} from './support/subscription.ts';

const OTHER = { type: 'payer.authorized', wallet: '0xother' } as const;

describe('an authorizing wallet', () => {
  it('is linked if there was none, and watched', () => {
    const made = new TestSubscription({ payerWallet: null });
    expect(made.send(OTHER)).toEqual(['watch']);
    expect(made.context).toMatchObject({ payerWallet: '0xother', authorizedAt: null });
  });

  it('changes nothing if it is already billed', () => {
    expect(active().isUnmovedBy({ type: 'payer.authorized', wallet: '0xpayer' })).toBe(true);
  });

  it('takes over in a trial: nothing is due before its own allowance is known', () => {
    const made = new TestSubscription({ trialDays: 14 }).goes(COVERED, OTHER);
    expect(made.context).toMatchObject({ authorizedAt: null, allowanceConfirmed: false, wakeAt: null });
    made.at(addDays(made.now, 20)).send(COVERED);
    expect(made.context.wakeAt).toBe(made.now);
  });

  it('takes over in a trial while a search for the other wallet is pending: its first allowance makes the subscription due', () => {
    const made = new TestSubscription({ trialDays: 14 }).goes(COVERED, 'checksAhead');
    expect(made.send(OTHER)).toEqual(['unwatch risk', 'watch']);
    expect(made.context).toMatchObject({ risk: { lookAt: null, isAwaited: false, short: null }, wakeAt: null });
    expect(made.refuses({ ...COVERED, type: 'risk.seen' })).toBe(true);
    expect(made.send(COVERED)).toEqual(['unwatch']);
    expect(made.due).toBe(addDays(START, 14));
    made.falls();
    expect(made.asked.at(-1)).toMatchObject({ type: 'charge.open', cycle: 1, fromWallet: '0xother' });
  });

  it("is not reported as short in a trial for the other wallet's lack", () => {
    const made = new TestSubscription({ trialDays: 14 });
    made.goes(COVERED, 'checksAhead', { ...UNCOVERED, type: 'risk.seen' });
    expect(made.send(OTHER)).toEqual(['unwatch risk', 'watch']);
    expect(made.context.risk.short).toBeNull();
  });

  it('ends the pending check before a renewal, which authorizes it if it covers the charge', () => {
    for (const [payable, effects] of [
      [true, ['unwatch risk', 'unwatch']],
      [false, ['unwatch', 'subscription.at_risk/insufficient_balance']],
    ] as const) {
      const made = active().goes('checksAhead', OTHER);
      expect(made.context.risk.isAwaited).toBe(true);
      expect(made.send({ type: 'risk.seen', covers: true, payable })).toEqual(effects);
      expect(made.context).toMatchObject({ authorizedAt: made.now, allowanceConfirmed: true });
      expect(made.due).toBe(made.context.currentPeriodEnd);
    }
  });

  it('does not cover new terms that the earlier wallet covered', () => {
    const made = new TestSubscription();
    made.send({
      type: 'migration.requested',
      terms: { ...MONTHLY, priceId: 'price_2' },
      expiresAt: addDays(START, 30),
    });
    made.send({ type: 'migration.seen', covers: true });
    expect(made.send(OTHER)).toEqual(['watch', 'watch migration']);
    made.send({ type: 'migration.signed', wallet: '0xother' });
    expect(made.context).toMatchObject({ terms: { priceId: 'price_1' }, authorizedAt: null });
    expect(made.send({ type: 'migration.seen', covers: true })).toEqual(['subscription.migrated', 'unwatch any']);
  });

  it('takes over a paid subscription, and pays its next charge on its day', () => {
    const made = active();
    const { wakeAt } = made.context;
    expect(made.send(OTHER)).toEqual(['watch']);
    expect(made.context.wakeAt).toBe(wakeAt);
    expect(made.refuses(UNCOVERED)).toBe(true);
    expect(made.send(COVERED)).toEqual(['unwatch']);
    made.falls();
    expect(made.asked.at(-1)).toMatchObject({ type: 'charge.open', cycle: 2, fromWallet: '0xother' });
  });

  it("pays at once for another wallet's failed charge, whatever the reason", () => {
    for (const made of [pastDue(), dunned()]) {
      made.send(OTHER);
      made.at(addDays(made.now, 0.2)).send(COVERED);
      expect(made.context.wakeAt).toBe(made.now);
      made.falls();
      expect(made.opened.at(-1)).toMatchObject({ fromWallet: '0xother' });
    }
    const reverted = renewing();
    reverted.fails('pull_reverted');
    expect(reverted.refuses(COVERED)).toBe(true);
    reverted.send(OTHER);
    reverted.at(addDays(reverted.now, 0.2)).send(COVERED);
    expect(reverted.context.wakeAt).toBe(reverted.now);
  });

  it('leaves the attempt in flight to the wallet that it was opened for', () => {
    const made = charging().goes(OTHER);
    expect(made.opened).toHaveLength(1);
    made.fails('insufficient_balance');
    expect(made.context).toMatchObject({ payerWallet: '0xother', consecutiveFailures: 1 });
  });

  it('does not end a failure that the sandbox forces', () => {
    const made = pastDue().goes({ type: 'failure.forced', reason: 'insufficient_balance' }, OTHER);
    const { wakeAt } = made.context;
    made.at(addDays(made.now, 0.2)).send(COVERED);
    expect(made.context.wakeAt).toBe(wakeAt);
  });
});

describe('a signature under a text that names the mandates of then', () => {
  const under = (mandateId: string, replaces?: string[]) => ({
    wallet: '0xpayer',
    consent: { mandateId, router: null },
    ...(replaces === undefined ? {} : { replaces }),
  });
  const pays = (...signed: Parameters<typeof under>) => ({ type: 'payer.authorized', ...under(...signed) }) as const;
  const migrates = (...signed: Parameters<typeof under>) =>
    ({ type: 'migration.signed', ...under(...signed) }) as const;

  function migrating(): TestSubscription {
    const made = active().goes(pays('first', []));
    made.send({ type: 'migration.requested', terms: MONTHLY, expiresAt: addDays(made.now, 30) });
    return made;
  }

  it('is refused once there is another mandate', () => {
    for (const made of [new TestSubscription(), active()]) {
      made.send(pays('first', []));
      expect(made.refuses(pays('second', []))).toBe(true);
      made.send(pays('second', ['first']));
      expect(made.context.consent).toEqual({ mandateId: 'second', router: null });
    }
  });

  it('is refused for new terms too, and after a signature of new terms', () => {
    const made = migrating();
    expect(made.refuses(migrates('second', []))).toBe(true);
    made.send(migrates('second', ['first']));
    expect(made.refuses(migrates('third', ['first']))).toBe(true);
    expect(made.refuses(pays('third', ['first']))).toBe(true);
    made.send(migrates('third', ['first', 'second']));
    expect(made.context.migration?.consent?.mandateId).toBe('third');
  });

  it('is taken if a mandate of then is gone', () => {
    const made = migrating().goes(migrates('second', ['first']));
    made.send({ type: 'migration.requested', terms: MONTHLY, expiresAt: addDays(made.now, 30) });
    made.send(pays('third', ['first', 'second']));
    expect(made.context.consent?.mandateId).toBe('third');
  });

  it('changes nothing if it is repeated', () => {
    expect(active().goes(pays('first', [])).isUnmovedBy(pays('first', []))).toBe(true);
  });
});

describe('an authorizing wallet during an attempt', () => {
  it.each([
    ['a first charge', charging],
    ['a renewal', renewing],
    ['a further attempt', retrying],
  ])("brings the next attempt of %s forward, whatever the other wallet's failure", (_, make) => {
    const made = make();
    const { cycle, attempt } = made.attempt;
    made.goes(OTHER, COVERED);
    expect(made.context.authorizedAt).toBe(made.now);
    made.fails('pull_reverted');
    made.send(COVERED);
    expect(made.context.wakeAt).toBe(made.now);
    made.falls();
    expect(made.opened.at(-1)).toMatchObject({ cycle, attempt: attempt + 1, fromWallet: '0xother' });
    made.fails('pull_reverted');
    expect(made.isUnmovedBy(COVERED) || made.refuses(COVERED)).toBe(true);
  });

  it('is charged as soon as it can pay, if its allowance was seen earlier', () => {
    const made = renewing();
    made.fails('pull_reverted');
    made.goes(OTHER, { ...COVERED, payable: false }, COVERED);
    expect(made.context.wakeAt).toBe(made.now);
  });
});
