import { Wallet } from 'ethers';
import { JsonRpc } from '../../src/chains/rpc.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { giveMeans } from '../lib/give-means.ts';
import type { ToolRun } from '../lib/run-tool.ts';
import { spread } from '../lib/spread.ts';
import { fallDueTogether, subscriptionsOf, untilPaid } from './burst/due.ts';
import { type BurstFigures, figuresOf, sharesOf } from './burst/figures.ts';
import type { BurstRun } from './options.ts';
import type { CrashOutcome } from './outcome.ts';
import { playIn } from './play.ts';
import { type Payer, PRICE } from './sale.ts';
import { seconds, showBurst } from './show.ts';
import { Stories } from './stories.ts';
import { ask } from './story-requests.ts';
import type { World } from './world.ts';

const PROCESSES = 2;

/** The settings of a deployment: a role, its tick, and a log that shows the work of each process. */
const WORKER = { TIDELINE_ROLE: 'worker', TICK_MS: '1000', LOG_LEVEL: 'info' } as const;

const CONNECTIONS = 16;

/** The first charge of each subscription happens at its request; the second ones fall due together. */
const BURST_CYCLE = 2;

/** The time limits of the first and the second charges. They are generous, because the machine may be busy. */
const FIRST_WITHIN_MS = 90_000;
const BURST_WITHIN_MS = 90_000;

/**
 * Makes many subscriptions, each of its own payer, fall due within one second on two worker processes. The verdict:
 * each was charged once, by chain, receiver and journals, and both processes took part.
 */
export function runBurst(tool: ToolRun, { count, overMs }: Omit<BurstRun, 'kind'>): Promise<CrashOutcome> {
  const { terminal } = tool;
  const when = overMs === 0 ? 'one second' : seconds(overMs);
  const heading = terminal.colors.bold(`${count} subscriptions due in ${when}, ${PROCESSES} worker processes`);
  // With the interval of a day, the chain is not checked before the charge, so nothing else happens when all fall due.
  return playIn(tool, heading, { interval: 'day' }, async (opened, judge) => {
    const services = await Promise.all(Array.from({ length: PROCESSES }, () => opened.start(WORKER)));
    const payers = await makePayers(opened, count).finally(terminal.busy('payers who approve'));
    const sale = { ...opened.sale, payers };
    const world = { ...opened, sale, stories: new Stories(sale) };
    const { burst, others } = await burstOn(tool, world, services, overMs);
    showBurst(burst, terminal);
    return { burst, others, verdict: await judge({ services }, world) };
  });
}

async function burstOn(
  { terminal, signal }: ToolRun,
  world: World,
  services: readonly ServiceProcess[],
  overMs: number,
): Promise<{ readonly burst: BurstFigures; readonly others: readonly string[] }> {
  const count = world.sale.payers.length;
  let done = terminal.busy(`${count} subscriptions and their first charges`);
  try {
    const stories = world.sale.payers.map(() => world.stories.begin('subscription', 'burst'));
    await spread(stories, CONNECTIONS, (story) => ask(world, story, signal));
    await untilPaid(world, { count, cycles: 1, withinMs: FIRST_WITHIN_MS }, signal);
    done = terminal.busy('moving their clocks');
    const due = await fallDueTogether(world, overMs, signal);
    for (const story of stories) story.asked += 1;
    const marks = services.map((service) => service.log().length);
    done = terminal.busy('waiting until they have fallen due and been charged');
    const withinMs = Math.max(...[...due.values()].map((at) => at.getTime())) - Date.now() + BURST_WITHIN_MS;
    await untilPaid(world, { count, cycles: BURST_CYCLE, withinMs }, signal);
    const burst = await figuresOf(world.store, due, BURST_CYCLE, sharesOf(services, marks));
    return { burst, others: await violationsOf(world, burst) };
  } finally {
    done();
  }
}

/**
 * Locks and leases decide which process wakes and signs. Below this number of subscriptions, one process may do
 * everything before the other one checks.
 */
const SHARED_FROM = 500;

/** The checks of a burst, in addition to those of every run. */
async function violationsOf(world: World, { subscriptions, shares }: BurstFigures): Promise<string[]> {
  const idle = subscriptions < SHARED_FROM ? [] : shares.filter(({ woken, sent }) => woken === 0 && sent === 0);
  const docs = await subscriptionsOf(world);
  const others = docs.filter(({ context }) => context['cyclesCompleted'] !== BURST_CYCLE);
  return [
    ...idle.map(({ pid }) => `process ${pid} woke no subscription and sent no transaction`),
    ...others.map(({ _id }) => `${_id} has not paid exactly ${BURST_CYCLE} cycles`),
  ];
}

/** The balance and allowance of each payer: two charges, and the reserve for the next one. */
const CHARGES = 3n;

const RPC = { timeoutMs: 60_000, batchMax: 200 } as const;

/**
 * Makes payers with a wallet and a customer each. They have and allow exactly the amount that they need, so that every
 * charge counts.
 */
async function makePayers({ chain, merchant }: World, count: number): Promise<Payer[]> {
  const spender = merchant.operator;
  const wallets = Array.from({ length: count }, () => Wallet.createRandom().address);
  const rows = wallets.map((wallet) => ({ wallet, spender }));
  const rpc = new JsonRpc({ url: chain.facts.rpcUrl, ...RPC });
  await giveMeans(rpc, chain.token, rows, CHARGES * PRICE.baseUnits);
  await rpc.close();
  return spread(wallets, CONNECTIONS, async (wallet): Promise<Payer> => {
    const { id } = await merchant.api.customers.create({ wallets: [{ chainFamily: 'evm', address: wallet }] });
    return { wallet, signer: null, customerId: id };
  });
}
