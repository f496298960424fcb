import type { BenchRun } from '../../bench.ts';
import { hold, type Side } from '../../contest.ts';
import type { Row, Target } from '../../row.ts';
import type { World } from '../../world.ts';
import { drain, type Kind, untilQuiet } from '../drain.ts';
import { type Baselines, startBaselines } from './baselines.ts';
import { type EvmShop, openEvmShop } from './shop.ts';

const PAYERS = 500;
/** Charges, and transfers of the pipelined baseline, of one turn; the loop makes fewer, it is so much slower. */
const COUNTS = { quick: { charges: 400, loop: 30 }, full: { charges: 4_000, loop: 100 } } as const;
const ROUNDS = 5;

const AT_LEAST_OF_LOOP: Target = { atLeast: 5 };
const AT_LEAST_OF_BARE: Target = { atLeast: 0.5 };

/**
 * Charges per second of a worker of the service, 20 merchants and 500 payers with finite allowances, from `charge.request`
 * to the event in the log with its delivery (the merchants have no endpoint), against a loop and a bare pipelined sender,
 * whose code and options their files' docstrings name. All of them on one node, with the blocks of the local chain's pump, and
 * on one database. Between the turns everybody waits until the service has nothing left to do.
 */
export async function evmRace(world: World, run: BenchRun): Promise<Row[]> {
  run.progress.step('settlement: starting database, chain, a worker and its rivals');
  const shop = await openEvmShop(world, PAYERS);
  const rivals = await startBaselines(shop);
  const { charges, loop } = COUNTS[run.size];
  const bare = bareSide(rivals, charges);
  const contest = (kind: Kind, name: string, baseline: Side, target: Target | null) =>
    hold(
      {
        name,
        unit: 'charges/s',
        product: productSide(shop, kind, charges),
        baseline,
        target,
        rounds: ROUNDS,
        turns: 1,
      },
      run,
    );
  const looped = loopSide(rivals, loop);
  return [
    await contest('payments', `${charges} payments to a loop of transferFrom().wait()`, looped, AT_LEAST_OF_LOOP),
    await contest('payments', `${charges} payments to a bare pipelined sender`, bare, AT_LEAST_OF_BARE),
    await contest('cycles', `${charges} due cycles to a bare pipelined sender`, bare, null),
  ];
}

function productSide(shop: EvmShop, kind: Kind, count: number): Side {
  return async () => {
    const ms = await drain(shop, kind, count);
    await untilQuiet(shop);
    if (kind === 'cycles') await endAll(shop);
    return perSecond(count, ms);
  };
}

/** Else every turn would leave its subscriptions to the payers of the next, who would have more of them each time. */
async function endAll({ world, db }: EvmShop): Promise<void> {
  const subscriptions = world.mongo.db(db).collection('subscriptions');
  await subscriptions.updateMany({ status: 'active' }, { $set: { status: 'canceled', wakeAt: null } });
}

function bareSide({ bare }: Baselines, count: number): Side {
  return async () => perSecond(count, await bare(count));
}

function loopSide({ loop }: Baselines, count: number): Side {
  return async () => perSecond(count, await loop(count));
}

function perSecond(count: number, ms: number): number {
  return (count / ms) * 1_000;
}
