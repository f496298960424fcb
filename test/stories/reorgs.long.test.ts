import type { Payment } from 'tideline/client';
import { journalOf } from '../../src/engine/journal.ts';
import { FIRST_CHARGE } from '../../stage/story.ts';
import { until } from '../../stage/until.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';
import { subscribed } from './support/subscribed.ts';

/**
 * A payment is in a block, and the block is replaced (docs/rules.md, "Payments": Final). These stories run one after
 * another, because they share the chain. A block is final at once, and finalized when two more are above it. The
 * stories begin on 1 February 2028.
 */
const stage = useStage({ on: '2028-02-01', env: { TZ: 'Pacific/Auckland' } });

const REPORTED_BEFORE = [...FIRST_CHARGE, 'payment.succeeded'];

/** A monthly subscription at 10.00 from 5 April, paid for the second time on 5 May; and that payment. */
async function paidTwice() {
  const { ada, club } = await subscribed(stage(), '2028-04-05');
  await ada.approve('1000.00');
  await club.expectStatus('active', { paid: 1 });
  await club.advanceTo('2028-05-05');
  await club.expectStatus('active', { paid: 2, until: '2028-06-05' });
  const [, second] = await club.payments();
  if (!second) throw new Error('5 May has not been paid');
  return { ada, club, second };
}

async function timesReorged({ id }: Payment): Promise<number> {
  const store = await stage().store();
  const [doc] = await store.actors.load('payment', [id]);
  if (!doc) throw new Error(`${id} is not stored`);
  return (await journalOf(store, doc)).filter(({ event }) => event.type === 'charge.reorged').length;
}

/** Makes blocks until it is proven that the payment can never land. */
async function untilReorged(payment: Payment): Promise<void> {
  const seen = await until(
    'the payment was reorged out',
    async () => {
      await stage().chain.mine(1);
      return timesReorged(payment);
    },
    (times) => times > 0,
  );
  expect(seen).toBe(1);
}

function hashOf({ pullTxHash }: Payment): string {
  if (pullTxHash === null) throw new Error('it has no transaction');
  return pullTxHash;
}

describe('The block of a payment of 5 May 2028 is replaced', () => {
  it('and the payment is in another one: no event is sent, and nothing is paid twice', async () => {
    const { ada, club, second } = await paidTwice();
    await stage().chain.replaceBlockOf(hashOf(second), { isDisplaced: false });
    await until('the transaction is in another block', () => stage().chain.has(hashOf(second)), Boolean);
    await stage().chain.mine(3);
    await club.advanceTo('2028-05-06');
    await club.expectStatus('active', { paid: 2, failures: 0, until: '2028-06-05' });
    expect((await club.payments())[1]).toMatchObject({ status: 'settled', pullTxHash: hashOf(second), attempts: 1 });
    expect(await timesReorged(second)).toBe(0);
    await club.expectEvents(REPORTED_BEFORE);
    await ada.expectPaid(['10.00', '10.00']);
  });

  it('and the payment can never land again: one event is sent, the cycle is open again, and paid the day after', async () => {
    const { ada, club, second } = await paidTwice();
    await stage().chain.replaceBlockOf(hashOf(second), { isDisplaced: true });
    // Until the block in which another has its nonce is finalized, it could come back.
    expect(await timesReorged(second)).toBe(0);
    await club.expectStatus('active', { paid: 2, until: '2028-06-05' });
    await ada.expectPaid(['10.00']);
    await untilReorged(second);
    await club.expectStatus('past_due', { paid: 1, failures: 0, because: 'pull_reverted' });
    expect((await club.payments())[1]).toMatchObject({ status: 'failed', failureReason: 'pull_reverted', attempts: 1 });
    await club.expectEvents([...REPORTED_BEFORE, 'payment.failed: pull_reverted']);

    await club.advanceTo('2028-05-06');
    await club.expectStatus('active', { paid: 2, failures: 0, until: '2028-06-05' });
    const [, again] = await club.payments();
    expect(again).toMatchObject({ id: second.id, status: 'settled', attempts: 2 });
    expect(hashOf(second)).not.toBe(again?.pullTxHash);
    expect(await timesReorged(second)).toBe(1);
    await club.expectEvents([...REPORTED_BEFORE, 'payment.failed: pull_reverted', 'payment.succeeded']);
    await ada.expectPaid(['10.00', '10.00']);
  });
});

endsWithSoundBooks(stage);
