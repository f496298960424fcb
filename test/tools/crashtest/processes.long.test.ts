import type { ServiceProcess } from '../../../stage/processes.ts';
import { ask } from '../../../tools/crashtest/story-requests.ts';
import { ENDS_WITHIN_MS, reachVerdict } from '../../../tools/crashtest/verdict.ts';
import { openWorld, type World } from '../../../tools/crashtest/world.ts';

const SUBSCRIPTIONS = 30;
const PAYMENTS = 10;
const TEST_MS = 2 * ENDS_WITHIN_MS;

describe.each([
  ['one server', 'lasting', [4]],
  ['a sharded cluster whose chunks move', 'sharded', [2]],
] as const)('processes on %s', (_name, database, counts) => {
  const { signal } = new AbortController();
  let world: World;
  let charges = 0;

  beforeAll(async () => {
    world = await openWorld({ database });
    let writes = 0;
    if (world.cluster !== null) world.cluster.moves = () => ++writes % 5 === 0;
  }, 120_000);

  afterAll(() => world.stop(), 30_000);

  it.each(counts)(
    'charge every cycle and payment once, use no nonce twice and lose no event: %i of them',
    async (count) => {
      const services: ServiceProcess[] = await Promise.all(Array.from({ length: count }, () => world.start()));
      const stories = [
        ...Array.from({ length: SUBSCRIPTIONS }, () => world.stories.begin('subscription', `${count} processes`)),
        ...Array.from({ length: PAYMENTS }, () => world.stories.begin('payment', `${count} processes`)),
      ];
      await Promise.all(stories.map((story) => ask(world, story, signal)));
      const { violations, figures } = await reachVerdict(world, { signal, services });
      charges += stories.length;
      expect(violations).toEqual([]);
      expect(figures.charges).toBe(charges);
      expect([...(world.cluster?.onAllShards ?? [])].filter((what) => !/^(find|aggregate) /.test(what))).toEqual([]);
    },
    TEST_MS,
  );
});
