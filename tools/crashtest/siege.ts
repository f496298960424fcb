import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../stage/until.ts';
import type { Ammunition } from './ammunition.ts';
import { chainPid } from './chain-process.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** The number of kills between two strikes at the database or the chain. */
const EVERY_KILLS = { least: 4, most: 10 } as const;

const CHECK_MS = 50;

/** The share of strikes at the database; the others hit the chain's node. */
const AT_DATABASE = 0.6;

/** Some pauses of the node are so long that callers give up. */
const CHAIN_STILL_MS = { least: 500, most: 6_000 } as const;

/** A starting process searches for its database for 5 s: one of an outage may fail this long after it. */
const AFTERMATH_MS = 15_000;

export interface Siege {
  /** True if a process that did not come up may have missed its database or chain. */
  mayHaveBeenAway(): boolean;
  /** Resolves when no kills are left. Database and chain are available then. */
  readonly over: Promise<void>;
}

export interface Struck {
  readonly world: World;
  readonly ammunition: Ammunition;
  readonly signal: AbortSignal;
}

/** Strikes at the database and the chain from time to time. */
export function besiege({ world, ammunition, signal }: Struck, random: Random): Siege {
  let awayUntil = 0;
  const away = async (strike: () => Promise<void>): Promise<void> => {
    awayUntil = Number.POSITIVE_INFINITY;
    await strike().finally(() => {
      awayUntil = performance.now() + AFTERMATH_MS;
    });
  };

  const strikeDatabase = async (): Promise<void> => {
    const { database, store } = world;
    if (database === null || !ammunition.take()) return;
    await away(async () => {
      await database.killAndRestart();
      await until(
        'the database answers',
        () => store.ping(),
        (answers) => answers,
        { everyMs: CHECK_MS, signal },
      );
    });
    ammunition.note('database');
  };

  const strikeChain = async (stillMs: number): Promise<void> => {
    if (ammunition.isSpent) return;
    const pid = await chainPid(world.chain.facts);
    await away(async () => {
      process.kill(pid, 'SIGSTOP');
      // The node must continue even if the run ends here.
      await delay(stillMs, undefined, { signal }).finally(() => process.kill(pid, 'SIGCONT'));
    });
    ammunition.note('chain');
  };

  const strikeUntilSpent = async (): Promise<void> => {
    for (let next = 0; !ammunition.isSpent; ) {
      next += random.integer(EVERY_KILLS.least, EVERY_KILLS.most);
      while (ammunition.used < next && !ammunition.isSpent) await delay(CHECK_MS, undefined, { signal });
      if (random.next() < AT_DATABASE) await strikeDatabase();
      else await strikeChain(random.integer(CHAIN_STILL_MS.least, CHAIN_STILL_MS.most));
    }
  };
  return { mayHaveBeenAway: () => performance.now() < awayUntil, over: strikeUntilSpent() };
}
