import type { BenchRun } from '../../bench.ts';
import { hold, type Side } from '../../contest.ts';
import { FEE_BPS } from '../../merchant.ts';
import type { Row, Target } from '../../row.ts';
import { type World, withWorld } from '../../world.ts';
import { drain, type Kind, untilQuiet } from '../drain.ts';
import type { Shop } from '../shop.ts';
import { bareSide } from './baseline.ts';
import { openEvmShop } from './shop.ts';

const PAYERS = 500;
/** The charges of a turn, and the transfers of the baseline. */
const COUNTS = { quick: 250, full: 4_000 } as const;
const ROUNDS = 5;
/** More rounds for a figure near its target: on a shared machine, the speed may halve or double within one round. */
const ROUNDS_NEAR = { quick: ROUNDS, full: 9 } as const;

const AT_LEAST_OF_OPEN: Target = { atLeast: 0.9 };

/** The charges that are compared with the bare sender. */
interface Race {
  readonly kind: Kind;
  /** Without a fee a charge is one transfer, like the sender's. */
  readonly feeBps: number;
  readonly target: Target | null;
  readonly rounds: number;
}

/**
 * Charges per second of one worker, 20 merchants and 500 payers with finite allowances, from `charge.request` to the
 * event in the log with its delivery (the merchants have no endpoint). The rival is a bare pipelined sender; the
 * docstring of its file names code and options. Both sides share a node, with the blocks of the local chain's pump, and
 * a database. Each race starts on new ones, because older data slows either side. Between the turns everybody waits
 * until the service has no work left. Payments with a target have no fee, so that both sides make equal numbers of
 * transfers; with a fee a charge is two.
 */
export async function evmRaces(run: BenchRun): Promise<Row[]> {
  const withFee: Race = { kind: 'payments', feeBps: FEE_BPS, target: null, rounds: ROUNDS };
  const races: readonly Race[] = [
    { kind: 'payments', feeBps: 0, target: { atLeast: 0.8 }, rounds: ROUNDS_NEAR[run.size] },
    ...(run.size === 'full' ? [withFee] : []),
    { kind: 'cycles', feeBps: FEE_BPS, target: { atLeast: 0.45 }, rounds: ROUNDS },
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
  const charges = COUNTS[run.size];
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

async function evmRace(world: World, run: BenchRun, { kind, feeBps, target, rounds }: Race): Promise<Row> {
  run.progress.step('settlement: starting database, chain, a worker and its rival');
  const shop = await openEvmShop(world, PAYERS, feeBps);
  const charges = COUNTS[run.size];
  const what = `${kind === 'payments' ? 'payments' : 'due cycles'}${feeBps === 0 ? '' : ' with a fee'}`;
  return hold(
    {
      name: `${charges} ${what} to a bare pipelined sender`,
      unit: 'charges/s',
      product: productSide(shop, kind, charges),
      baseline: await bareSide(shop, charges),
      target,
      rounds,
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
    return (count / ms) * 1_000;
  };
}

/** Cancels the subscriptions of a turn. Otherwise payers would have more of them in each turn. */
async function endAll({ world, db }: Shop): Promise<void> {
  const subscriptions = world.mongo.db(db).collection('subscriptions');
  await subscriptions.updateMany({ status: 'active' }, { $set: { status: 'canceled', wakeAt: null } });
}
