import { MACHINES } from '../../machines/versions.ts';
import { auditNewBlocks } from '../billing/audit/recurring.ts';
import { checkRedemptions } from '../billing/coupons/redemptions.ts';
import { ExpiredReservations } from '../billing/offers/expired-reservations.ts';
import type { Chains } from '../chains/port.ts';
import type { Config } from '../config/config.ts';
import { sweepUpcasts } from '../engine/upcast-sweep.ts';
import { type Clock, type JobWork, recurringJobs, startClock, tick } from '../jobs/clock.ts';
import { type LettersDeps, sendDueLetters } from '../letters/letters.ts';
import { smtpMailer } from '../letters/smtp.ts';
import { type Log, timed } from '../observability/log.ts';
import { SightedClient } from '../store/mongo/client.ts';
import type { LedgerStore } from '../store/port.ts';
import type { Workers } from '../store/workers.ts';
import type { compose } from './compose.ts';
import { endMomentsAhead } from './moments.ts';
import { jobWork } from './work.ts';

type Stops = (() => Promise<void>)[];

export interface WorkDeps extends Omit<LettersDeps, 'mailer' | 'from' | 'store'> {
  readonly config: Config;
  /** Of the database that has the jobs. */
  readonly uri: string;
  readonly workers: Workers;
  readonly store: LedgerStore;
  readonly composed: ReturnType<typeof compose>;
}

/** How long a stop waits for the jobs that run. */
const JOBS_STOP_MS = 4_000;

/** Starts what a worker does beside serving. What it has started goes into `stops`, also if it then fails. */
export async function startWork(deps: WorkDeps, stops: Stops): Promise<void> {
  const { config, workers, log, composed } = deps;
  const { chains, requests } = composed;
  stops.push(...chains.all().map((chain) => () => chain.stop()));
  // A process that does all seldom has others that only serve beside it.
  requests.start(config.role === 'all' ? 250 : undefined);
  stops.push(() => requests.stop());
  const work = workOf(deps);
  const jobs = await startJobs(config, deps.uri, work, log);
  stops.push(jobs.stop);
  await workers.start((called) => tick({ name: 'share', run: () => work.share(called) }, log));
  // First of all, so that others take over while the work under way ends.
  stops.push(() => workers.stop());
  await timed(log, 'the chains are watched', startChains(chains));
}

function workOf(deps: WorkDeps): JobWork {
  const { store, clock, log, composed } = deps;
  const { engine, webhooks, watcher, chains } = composed;
  const { catalog, chainReaders } = composed.deps;
  const chainIds = chains.all().map((chain) => chain.chainId);
  return jobWork({
    ...{ engine, webhooks, watcher },
    reservations: new ExpiredReservations(store),
    redemptions: () => checkRedemptions({ store, clock }),
    audit: (touch) => auditNewBlocks({ store, catalog, chainReaders, clock, log }, touch),
    upcasts: () => sweepUpcasts({ engine, store, machines: MACHINES, clock, log }),
    moments: () => endMomentsAhead({ store, engine, clock, chainIds }),
    heads: () => store.actors.endOpenPayments(clock()),
    ...lettersJob(deps.config, deps),
  });
}

/** None without a mail server. An attempt may take longer than a lock of the job lasts. */
function lettersJob({ smtpUrl, lettersFrom: from }: Config, deps: Omit<LettersDeps, 'mailer' | 'from'>) {
  if (smtpUrl === null || from === null) return {};
  const mailer = smtpMailer({ url: smtpUrl, from });
  const letters: JobWork['letters'] = async (touch) => {
    const touching = setInterval(() => void touch().catch(() => undefined), 1_000);
    await sendDueLetters({ ...deps, mailer, from }).finally(() => clearInterval(touching));
  };
  return { letters };
}

async function startJobs(config: Config, uri: string, work: JobWork, log: Log) {
  const sighted = new SightedClient(uri, { maxPoolSize: 8 }, { connectTimeoutMS: 5_000 }, log);
  const client = await sighted.client.connect();
  const jobs = recurringJobs(work, config.tickMs);
  const running: Clock = await startClock({ db: client.db(config.mongodbDb), jobs, tickMs: config.tickMs, log });
  return {
    stop: async () => {
      await running.stop(JOBS_STOP_MS);
      await sighted.close();
    },
  };
}

async function startChains(chains: Chains): Promise<void> {
  for (const chain of chains.all()) await chain.start();
}
