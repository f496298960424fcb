import type { BenchRun } from '../bench.ts';
import { hold } from '../contest.ts';
import { counted, median, type Row } from '../row.ts';
import { FEW, MANY } from '../subscriptions.ts';
import type { World } from '../world.ts';
import { openScene, type Restart } from './scene.ts';

const IN_FLIGHT = { quick: 500, full: 10_000 } as const;
const ROUNDS = 5;
const FIRST_ANSWER_S = 2;
const AT_MOST = 1.2;

/**
 * A service with API and worker is killed while charges are in flight, and started again at once. The product is both
 * sides, once among many subscriptions and once among few, each with its own database and chain.
 */
export async function restarts(
  { few, many }: { readonly few: World; readonly many: World },
  run: BenchRun,
): Promise<Row[]> {
  const charges = IN_FLIGHT[run.size];
  const scenes = {
    few: await openScene(few, run, FEW),
    many: await openScene(many, run, MANY[run.size]),
  };
  const seen: Restart[] = [];
  const all = MANY[run.size].toLocaleString('en');
  const ended = await hold(
    {
      name: `until all have ended, with ${all} subscriptions to with ${FEW.toLocaleString('en')}`,
      unit: 's',
      product: async () => {
        const restart = await scenes.many.restart(charges);
        seen.push(restart);
        return restart.allEnded;
      },
      baseline: async () => (await scenes.few.restart(charges)).allEnded,
      target: { atMost: AT_MOST },
      rounds: ROUNDS,
      turns: 1,
    },
    run,
  );
  // The first restart warms up and does not count.
  const counting = seen.slice(1);
  const answers = counting.map(({ firstAnswer }) => firstAnswer);
  return [
    counted(`first 200 after kill -9, with ${all} subscriptions`, 's', median(answers), { atMost: FIRST_ANSWER_S }),
    counted('the slowest of these', 's', Math.max(...answers)),
    counted('charges in flight when it was killed', 'charges', Math.min(...counting.map(({ inFlight }) => inFlight)), {
      atLeast: charges,
    }),
    ended,
  ];
}
