import type { BenchRun } from '../../bench.ts';
import { hold, type Side } from '../../contest.ts';
import type { Row, Target } from '../../row.ts';
import { type World, withWorld } from '../../world.ts';
import { drain, type Kind, untilQuiet } from '../drain.ts';
import { FEE_BPS } from '../shop.ts';
import { type Baselines, startBaselines } from './baselines.ts';
import { type EvmShop, openEvmShop } from './shop.ts';

const PAYERS = 500;
/** Charges, and transfers of the pipelined baseline, of one turn; the loop makes fewer, it is so much slower. */
const COUNTS = { quick: { charges: 250, loop: 6 }, full: { charges: 4_000, loop: 100 } } as const;
const ROUNDS = 5;
/** Of what is near its target more: on a machine that is shared, the sides of one round may find it twice as fast or half. */
const ROUNDS_NEAR = { quick: ROUNDS, full: 9 } as const;

const AT_LEAST_OF_LOOP: Target = { atLeast: 5 };
const AT_LEAST_OF_BARE: Target = { atLeast: 0.5 };

/** The two sides of one comparison. */
interface Race {
  readonly kind: Kind;
  /** None: a charge is one transfer, as the rival's are. */
  readonly feeBps: number;
  readonly rival: string;
  readonly baseline: (rivals: Baselines) => Side;
  readonly target: Target | null;
  readonly rounds: number;
}

/**
 * Charges per second of a worker of the service, 20 merchants and 500 payers with finite allowances, from `charge.request`
 * to the event in the log with its delivery (the merchants have no endpoint), against a loop and a bare pipelined sender,
 * whose code and options their files' docstrings name. Both sides are on one node, with the blocks of the local chain's pump,
 * and on one database, and each race begins on new ones: what came before makes either slower. Between the turns everybody
 * waits until the service has nothing left to do. Where there is a target the merchants pay no fee, so that both sides make as
 * many transfers; with a fee a charge is two.
 */
export async function evmRaces(run: BenchRun): Promise<Row[]> {
  const { charges, loop } = COUNTS[run.size];
  const bare = (rivals: Baselines): Side => bareSide(rivals, charges);
  const races: readonly Race[] = [
    {
      kind: 'payments',
      feeBps: 0,
      rival: 'a loop of transferFrom().wait()',
      baseline: (rivals) => loopSide(rivals, loop),
      target: AT_LEAST_OF_LOOP,
      rounds: ROUNDS,
    },
    {
      kind: 'payments',
      feeBps: 0,
      rival: 'a bare pipelined sender',
      baseline: bare,
      target: AT_LEAST_OF_BARE,
      rounds: ROUNDS_NEAR[run.size],
    },
    ...(run.size === 'full' ? (['payments', 'cycles'] as const) : (['cycles'] as const)).map((kind) => {
      const rival = 'a bare pipelined sender';
      return { kind, feeBps: FEE_BPS, rival, baseline: bare, target: null, rounds: ROUNDS };
    }),
  ];
  const rows: Row[] = [];
  for (const race of races) rows.push(await withWorld((world) => evmRace(world, run, race), { evm: true }));
  return rows;
}

async function evmRace(world: World, run: BenchRun, { kind, feeBps, rival, baseline, ...race }: Race): Promise<Row> {
  run.progress.step('settlement: starting database, chain, a worker and its rivals');
  const shop = await openEvmShop(world, PAYERS, feeBps);
  const rivals = await startBaselines(shop);
  const { charges } = COUNTS[run.size];
  const what = `${kind === 'payments' ? 'payments' : 'due cycles'}${feeBps === 0 ? '' : ' with a fee'}`;
  return hold(
    {
      name: `${charges} ${what} to ${rival}`,
      unit: 'charges/s',
      product: productSide(shop, kind, charges),
      baseline: baseline(rivals),
      ...race,
      turns: 1,
    },
    run,
  );
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
