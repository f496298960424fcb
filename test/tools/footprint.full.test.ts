import { madeByService } from '../../tools/bench/footprint/specimen.ts';

it('takes a subscription as the specimen of the footprint only when no work is left for it', async () => {
  const { subscription, pages, cycles } = await madeByService({ signal: new AbortController().signal });
  expect(subscription).toMatchObject({ status: 'active', outbox: [], relayAt: null, quarantine: null });
  expect(cycles).toBeGreaterThanOrEqual(4);
  const rows = [...pages.flatMap((page) => page.rows), ...subscription.journal];
  expect(rows.filter(({ event }) => event.type === 'charge.settled')).toHaveLength(cycles);
});
