import type { BenchRun } from '../../bench.ts';
import { hold, type Side } from '../../contest.ts';
import { FEE_BPS } from '../../merchant.ts';
import type { Row, Target } from '../../row.ts';
import { type World, withWorld } from '../../world.ts';
import { drain, type Kind, untilQuiet } from '../drain.ts';
import type { Shop } from '../shop.ts';
import { type Baselines, startBaselines } from './baselines.ts';
import { openEvmShop } from './shop.ts';

const PAYERS = 500;
/** Charges, and transfers of the pipelined baseline, per turn; fewer for the loop, because it is much slower. */
const COUNTS = { quick: { charges: 250, loop: 6 }, full: { charges: 4_000, loop: 100 } } as const;
const ROUNDS = 5;
/** More rounds for a figure near its target: on a shared machine, the speed may halve or double within one round. */
const ROUNDS_NEAR = { quick: ROUNDS, full: 9 } as const;

const AT_LEAST_OF_LOOP: Target = { atLeast: 5 };
const AT_LEAST_OF_BARE: Target = { atLeast: 0.8 };
const CYCLES_AT_LEAST_OF_BARE: Target = { atLeast: 0.45 };
const AT_LEAST_OF_OPEN: Target = { atLeast: 0.9 };

/** The two sides of one comparison. */
interface Race {
  readonly kind: Kind;
  /** Without a fee a charge is one transfer, like the rival's. */
  readonly feeBps: number;
  readonly rival: string;
  readonly baseline: (rivals: Baselines) => Side;
  readonly target: Target | null;
  readonly rounds: number;
}

/**
 * Charges per second of one worker, 20 merchants and 500 payers with finite allowances, from `charge.request` to the event in
 * the log with its delivery (the merchants have no endpoint). The rivals are a loop and a bare pipelined sender; the docstrings
 * of their files name code and options. Both sides share a node, with the blocks of the local chain's pump, and a database.
 * Each race starts on new ones, because older data slows either side. Between the turns everybody waits until the service has
 * no work left. Payments with a target have no fee, so that both sides make equal numbers of transfers; with a fee a charge is two.
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
      const target = kind === 'cycles' ? CYCLES_AT_LEAST_OF_BARE : null;
      return { kind, feeBps: FEE_BPS, rival, baseline: bare, target, rounds: ROUNDS };
    }),
  ];
  const rows: Row[] = [];
  for (const race of races) rows.push(await withWorld((world) => evmRace(world, run, race), { evm: true }));
  rows.push(await withWorld((world) => mandateRace(world, run), { evm: true }));
  return rows;
}

/** Cycles under mandates beside cycles of the open operator, in one service. Nothing else differs. */
async function mandateRace(world: World, run: BenchRun): Promise<Row> {
  run.progress.step('settlement: starting database, chain, a worker and payers that sign');
  const shop = await openEvmShop(world, PAYERS);
  const { charges } = COUNTS[run.size];
  const receiver = shop.receiver();
  return hold(
    {
      name: `${charges} due cycles with a fee, under mandates to open ones`,
      unit: 'charges/s',
      product: productSide(await shop.underMandates(), 'cycles', charges),
      baseline: productSide({ ...shop, receiver: () => receiver }, 'cycles', charges),
      target: AT_LEAST_OF_OPEN,
      rounds: ROUNDS_NEAR[run.size],
      turns: 1,
    },
    run,
  );
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

function productSide(shop: Shop, kind: Kind, count: number): Side {
  return async () => {
    const ms = await drain(shop, kind, count);
    await untilQuiet(shop);
    if (kind === 'cycles') await endAll(shop);
    return perSecond(count, ms);
  };
}

/** Cancels the subscriptions of a turn. Otherwise payers would have more of them in each turn. */
async function endAll({ world, db }: Shop): Promise<void> {
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
