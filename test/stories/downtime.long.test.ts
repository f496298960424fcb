import { Wallet } from 'ethers';
import { type Plan, refusalOf } from '../../stage/merchant.ts';
import { FIRST_CHARGE } from '../../stage/story.ts';
import { TOKEN_KEY } from '../../stage/tokens.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';
import { byStaff } from './support/by-staff.ts';
import { untilDeferred } from './support/stored.ts';
import { DAILY, MONTHLY, paidOnce, type Subscribed } from './support/subscribed.ts';

/**
 * The service is shut down on the evening of 20 January 2028 and started again 45 days later, on 5 March. Cycles that
 * were due meanwhile are not charged, not even later. Each merchant here has one subscriber.
 */
const stage = useStage({ on: '2028-01-01', env: { TZ: 'Europe/London' } });

const DOWN_MS = 45 * 86_400_000;
const NO_BALANCE = 'payment.failed: insufficient_balance';
const MANY = '1000.00';

/** The plan, the first morning, and the tokens in the payer's wallet. */
const STORIES = {
  monthly: [MONTHLY, '2028-01-05', MANY],
  broke: [DAILY, '2028-01-19', '1.00'],
  suspended: [MONTHLY, '2028-01-05', MANY],
} as const satisfies { [name: string]: readonly [plan: Plan, on: string, has: string] };

type Name = keyof typeof STORIES;

const stories = new Map<string, Subscribed>();

function reported(name: Name): Subscribed {
  const story = stories.get(name);
  if (!story) throw new Error(`the story ${name} has not begun`);
  return story;
}

beforeAll(async () => {
  for (const [name, [plan, on, has]] of Object.entries(STORIES)) {
    const story = await paidOnce(stage(), plan, { on, has });
    await story.club.advanceTo('2028-01-20');
    stories.set(name, story);
  }
  await reported('broke').club.expectStatus('past_due', { failures: 1, because: 'insufficient_balance' });
  await reported('suspended').merchant.suspend();

  await stage().restart({ laterMs: DOWN_MS });
}, 180_000);

describe('While the service was down from 20 January to 5 March 2028', () => {
  it('a month ended on 5 February: one charge, for the month from 5 March', async () => {
    const { ada, club } = reported('monthly');
    await club.expectStatus('active', { paid: 2, failures: 0, until: '2028-04-05' });
    await club.expectPeriods(['2028-01-05 to 2028-02-05', '2028-03-05 to 2028-04-05']);
    await club.expectEvents([...FIRST_CHARGE, 'payment.succeeded']);
    await ada.expectPaid(['10.00', '10.00']);
  });

  it('the grace of a past due subscription passed: one more attempt, whose failure ends it', async () => {
    const { ada, club } = reported('broke');
    await club.expectStatus('canceled', { paid: 1, failures: 2 });
    await club.expectEvents([
      ...FIRST_CHARGE,
      NO_BALANCE,
      NO_BALANCE,
      'subscription.canceled: max_failed_cycles_reached',
    ]);
    await ada.expectPaid(['1.00']);
  });
});

describe('A merchant that is suspended on 20 January 2028 and reinstated on 5 March', () => {
  it('is not charged for in between; then one charge is made, for the present', async () => {
    const { merchant, ada, club } = reported('suspended');
    await untilDeferred(club, 'merchant_suspended');
    expect(await refusalOf(club.view())).toBe('401 Unauthorized');
    await ada.expectPaid(['10.00']);
    // Deliveries continue.
    const wallet = { mode: 'test', tokenKey: TOKEN_KEY, receiverWallet: Wallet.createRandom().address };
    await byStaff(merchant, 'PUT', '/wallets', { ...wallet, reason: 'a story' });
    await merchant.expectEvents(TOKEN_KEY, ['wallet.updated', 'wallet.updated']);
    await merchant.reinstate();
    await club.expectStatus('active', { paid: 2, failures: 0, until: '2028-04-05' });
    await club.expectPeriods(['2028-01-05 to 2028-02-05', '2028-03-05 to 2028-04-05']);
    await club.expectEvents([...FIRST_CHARGE, 'payment.succeeded']);
    await ada.expectPaid(['10.00', '10.00']);
  });
});

endsWithSoundBooks(stage);
