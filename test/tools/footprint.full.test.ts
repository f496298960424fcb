import { madeByService } from '../../tools/bench/footprint/specimen.ts';

it('takes a subscription as the specimen of the footprint only when no work is left for it', async () => {
  const { subscription, rows, cycles } = await madeByService({ signal: new AbortController().signal });
  expect(subscription).toMatchObject({ status: 'active', outbox: [], quarantine: null });
  expect(cycles).toBeGreaterThanOrEqual(4);
  const events = rows.flatMap((row) => row.events);
  expect(events.filter(({ event }) => event.type === 'charge.settled')).toHaveLength(cycles);
});
