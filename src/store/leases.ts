import type { LeaseDoc } from './collections.ts';
import { isDue } from './is-due.ts';
import type { RecordStore } from './port.ts';
import type { Workers } from './workers.ts';

/**
 * Leases decide which process does work that only one at a time needs to do. Two holders of one lease (clocks differ)
 * are safe: they only waste work.
 */
export interface Leases {
  /** Takes or prolongs the lease. False: another process has it, or should have it; then it is given back. */
  take(name: string): Promise<boolean>;
  /** Gives the lease back, so that no other process has to wait until it expires. */
  release(name: string): Promise<void>;
  /** How many processes share the work. */
  readonly workers: number;
}

export interface LeaseOptions {
  readonly records: RecordStore;
  /** This process among the workers. */
  readonly workers: Pick<Workers, 'holder' | 'isMine' | 'count'>;
  /** The life of a lease that its holder does not prolong, in milliseconds. */
  readonly leaseMs: number;
  readonly clock: () => Date;
}

/** A lease with more than this number of lives left is free: it was taken before the clock was set back. */
const LIVES = 2;

/**
 * Leases in the collection `lanes`, by the clocks of the processes. `take` prolongs a lease only when a third of its
 * life is over, so it can be called often. It reads a lease that another process has only if it is in the own share.
 */
export function storeLeases({ records, workers, leaseMs, clock }: LeaseOptions): Leases {
  const { holder } = workers;
  const prolongAt = new Map<string, number>();
  const prolong = async (name: string, mine: Omit<LeaseDoc, '_id'>): Promise<boolean> => {
    return (await records.change('lanes', name, { holder }, { set: mine })) !== null;
  };
  const acquire = async (name: string, mine: Omit<LeaseDoc, '_id'>): Promise<boolean> => {
    const [seen] = await records.get('lanes', [name]);
    if (seen === undefined) {
      const [verdict] = await records.insert('lanes', [{ _id: name, ...mine }]);
      return verdict?.inserted === true;
    }
    const now = clock();
    const isFree = isDue(seen.until, now, LIVES * leaseMs);
    if (!isFree && seen.holder !== holder) return false;
    const asSeen = { holder: seen.holder, until: seen.until };
    return (await records.change('lanes', name, asSeen, { set: mine })) !== null;
  };
  const release = async (name: string): Promise<void> => {
    prolongAt.delete(name);
    await records.change('lanes', name, { holder }, { set: { until: new Date(0) } });
  };
  return {
    get workers() {
      return workers.count;
    },
    release,
    async take(name) {
      if (!workers.isMine(name)) {
        if (prolongAt.has(name)) await release(name);
        return false;
      }
      const now = clock();
      const mine = { holder, until: later(now, leaseMs) };
      const known = prolongAt.get(name);
      if (known !== undefined && !isDue(known, now, leaseMs / 3)) return true;
      prolongAt.delete(name);
      const isHeld = (known !== undefined && (await prolong(name, mine))) || (await acquire(name, mine));
      if (isHeld) prolongAt.set(name, now.getTime() + leaseMs / 3);
      return isHeld;
    },
  };
}

function later(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms);
}
