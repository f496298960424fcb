import { Wallet } from 'ethers';
import { toQuantity } from '../../../src/chains/evm/wire.ts';
import { resultOf } from '../../../src/chains/rpc.ts';
import { giveMeans } from '../../lib/give-means.ts';
import { type Contest, hold, type Side } from '../contest.ts';
import { FEE_BPS } from '../merchant.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.ts';
import type { BareSender } from './bare-sender.ts';
import { drain, type Kind, untilQuiet } from './drain.ts';
import { type EvmMarket, MEANS, openEvmMarket, underMandates } from './evm-market.ts';
import { DB, type Market, workerEnv } from './market.ts';

const PAYERS = 500;
/** The charges of a turn, and the transfers of the baseline. */
const COUNTS = { quick: 250, full: 4_000 } as const;
/** More rounds for a figure near its target: on a shared machine, the speed may halve or double within one round. */
const ROUNDS_NEAR = { quick: 5, full: 9 } as const;

const COINS = 10n ** 22n;

/**
 * Charges per second of one worker, 20 merchants and 500 payers with finite allowances, from `charge.request` to the
 * event in the log with its delivery (the merchants have no endpoint). The rival is a bare pipelined sender; the
 * docstring of its file names code and options. Both sides share a node, with the blocks of the local chain's pump, and
 * a database. Each race needs a world of its own, because older data slows either side. Between the turns everybody
 * waits until the service has no work left. Payments with a target have no fee, so that both sides make equal numbers
 * of transfers; with a fee a charge is two.
 */
export function paymentRace(world: World): Promise<Row[]> {
  return race(world, { kind: 'payments', feeBps: 0, target: { atLeast: 0.8 }, rounds: ROUNDS_NEAR[world.size] });
}

export function cycleRace(world: World): Promise<Row[]> {
  return race(world, { kind: 'cycles', feeBps: FEE_BPS, target: { atLeast: 0.45 } });
}

interface Race extends Pick<Contest, 'target' | 'rounds'> {
  readonly kind: Kind;
  readonly feeBps: number;
}

async function race(world: World, { kind, feeBps, ...contest }: Race): Promise<Row[]> {
  world.progress.step('settlement: starting database, chain, a worker and its rival');
  const market = await openEvmMarket(world, PAYERS, feeBps);
  await world.service(workerEnv(world));
  const charges = COUNTS[world.size];
  const what = `${kind === 'payments' ? 'payments' : 'due cycles'}${feeBps === 0 ? '' : ' with a fee'}`;
  const sides = { product: productSide(market, kind, charges), baseline: await bareSide(market, charges) };
  const name = `${charges} ${what} to a bare pipelined sender`;
  return [await hold(world, { name, unit: 'charges/s', ...sides, ...contest })];
}

/** Cycles under mandates beside cycles of the open operator, in one service. Nothing else differs. */
export async function mandateRace(world: World): Promise<Row[]> {
  world.progress.step('settlement: starting database, chain, a worker and payers that sign');
  const market = await openEvmMarket(world, PAYERS);
  await world.service(workerEnv(world));
  const charges = COUNTS[world.size];
  const receiver = market.receiver();
  const row = await hold(world, {
    name: `${charges} due cycles with a fee, under mandates to open ones`,
    unit: 'charges/s',
    product: productSide(await underMandates(market), 'cycles', charges),
    baseline: productSide({ ...market, receiver: () => receiver }, 'cycles', charges),
    target: { atLeast: 0.9 },
    rounds: ROUNDS_NEAR[world.size],
  });
  return [row];
}

function productSide(market: Market, kind: Kind, count: number): Side {
  return async () => {
    const ms = await drain(market, kind, count);
    await untilQuiet(market.world);
    if (kind === 'cycles') await cancelAll(market.world);
    return (count / ms) * 1_000;
  };
}

/** Cancels the subscriptions of a turn. Otherwise payers would have more of them in each turn. */
async function cancelAll({ mongo }: World): Promise<void> {
  const subscriptions = mongo.db(DB).collection('subscriptions');
  await subscriptions.updateMany({ status: 'active' }, { $set: { status: 'canceled', wakeAt: null } });
}

/** Starts the bare sender with its own account, on the service's node and database. A turn makes `count` transfers. */
async function bareSide({ world, rpcUrl, rpc, playing: token }: EvmMarket, count: number): Promise<Side> {
  const [{ address: from, privateKey: key }, { address: to }] = [Wallet.createRandom(), Wallet.createRandom()];
  const coins = { method: 'anvil_setBalance', params: [from, toQuantity(COINS)] };
  for (const each of await rpc.batch([coins])) resultOf(each);
  await giveMeans(rpc, token, [{ wallet: from, spender: from }], MEANS);
  const sender = world.child<BareSender>(import.meta.url, './bare-sender.ts', [rpcUrl, world.mongoUri, DB]);
  return async () => (count / (await sender.ask('transfer', { key, from, token, to, count }))) * 1_000;
}
