import { freePort } from '../../scripts/lib/free-port.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { until } from '../../stage/until.ts';
import { hold } from './contest.ts';
import { numberOf } from './documents.ts';
import { benchMerchant } from './merchant.ts';
import { counted, median, type Row } from './row.ts';
import { countOf, insertDue, patienceMs, untilCount, untilQuiet } from './settlement/drain.ts';
import { openEvmMarket } from './settlement/evm-market.ts';
import { DB, workerEnv } from './settlement/market.ts';
import { FEW, MANY, withSubscriptions } from './subscriptions.ts';
import type { World } from './world.ts';

const IN_FLIGHT = { quick: 500, full: 10_000 } as const;
/** The factor of requested charges, because some end before the kill. */
const MORE = 1.3;
const PAYERS = 500;
const FIRST_ANSWER_S = 2;
const AT_MOST = 1.2;
const POLL_MS = 5;

/**
 * A service with API and worker is killed while charges are in flight, and started again at once. The product is both
 * sides, once among many subscriptions and once among few, each with its own database and chain.
 */
export async function restarts(few: World, many: World): Promise<Row[]> {
  const charges = IN_FLIGHT[many.size];
  const restartFew = await openScene(few, FEW, charges);
  const restartMany = await openScene(many, MANY[many.size], charges);
  const seen: Restart[] = [];
  const all = numberOf(MANY[many.size]);
  const ended = await hold(many, {
    name: `until all have ended, with ${all} subscriptions to with ${numberOf(FEW)}`,
    unit: 's',
    product: async () => {
      const restart = await restartMany();
      seen.push(restart);
      return restart.allEnded;
    },
    baseline: async () => (await restartFew()).allEnded,
    target: { atMost: AT_MOST },
  });
  // The first restart warms up and does not count.
  const counting = seen.slice(1);
  const answers = counting.map(({ firstAnswer }) => firstAnswer);
  const inFlight = Math.min(...counting.map((restart) => restart.inFlight));
  return [
    counted(`first 200 after kill -9, with ${all} subscriptions`, 's', median(answers), { atMost: FIRST_ANSWER_S }),
    counted('the slowest of these', 's', Math.max(...answers)),
    counted('charges in flight when it was killed', 'charges', inFlight, { atLeast: charges }),
    ended,
  ];
}

/** The result of one kill; times in seconds since the process was started again. */
interface Restart {
  /** The first 200 to a merchant who sends requests all the time, to the same address. */
  readonly firstAnswer: number;
  /** The last event of the charges that were in flight. */
  readonly allEnded: number;
  /** The number of charges that were requested but not ended. */
  readonly inFlight: number;
}

/**
 * A service among so many subscriptions, on its own database and chain. The returned function kills it with at least
 * `charges` charges in flight, and starts it again.
 */
async function openScene(world: World, subscriptions: number, charges: number): Promise<() => Promise<Restart>> {
  const { key } = await benchMerchant(await withSubscriptions(world, DB, { count: subscriptions, due: 0 }), 'Asks');
  world.progress.step('recovery: payers, a chain and a service');
  const market = await openEvmMarket(world, PAYERS);
  const env = { ...workerEnv(world), TIDELINE_ROLE: 'all', PORT: String(await freePort()) };
  const start = () => world.service(env);
  let running = await start();
  const asked = Math.ceil(charges * MORE);
  const waiting = { withinMs: patienceMs(asked), everyMs: POLL_MS };
  return async () => {
    const events = await countOf(world, 'events');
    const transactions = await countOf(world, 'transactions');
    await insertDue(market, 'payments', asked);
    await untilCount(world, 'transactions', transactions + 1, waiting);
    running.signal('SIGKILL');
    await running.exited;
    const inFlight = asked - ((await countOf(world, 'events')) - events);
    const began = performance.now();
    const secondsSince = () => (performance.now() - began) / 1_000;
    const answering = untilAnswered(running, key).then(secondsSince);
    const [service, firstAnswer] = await Promise.all([start(), answering]);
    running = service;
    await untilCount(world, 'events', events + asked, waiting);
    const allEnded = secondsSince();
    await untilQuiet(world, 'final');
    await requireEnded(world, events + asked);
    return { firstAnswer, allEnded, inFlight };
  };
}

async function untilAnswered({ url }: ServiceProcess, key: string): Promise<void> {
  const ask = async () => {
    const response = await fetch(`${url}/v1/customers`, { headers: { 'X-API-Key': key } }).catch(() => null);
    await response?.arrayBuffer();
    return response?.status;
  };
  await until(`${url} answers`, ask, (status) => status === 200, { everyMs: POLL_MS });
}

/** Throws unless every requested payment has settled and has one event. */
async function requireEnded({ mongo }: World, asked: number): Promise<void> {
  const db = mongo.db(DB);
  const settled = await db.collection('payments').countDocuments({ status: 'settled' });
  const payments =
    (await db.collection('payments').countDocuments()) + (await db.collection('openPayments').countDocuments());
  const events = await db.collection('events').countDocuments();
  if (settled === asked && payments === asked && events === asked) return;
  throw new Error(`${settled} of ${asked} charges have settled, with ${events} events and ${payments} payments`);
}
