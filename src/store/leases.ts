import type { LeaseDoc } from './collections.ts';
import { isDue } from './is-due.ts';
import type { RecordStore } from './port.ts';

/**
 * Leases decide which process does work that only one at a time needs to do. Two holders of one lease (clocks differ)
 * are safe: they only waste work.
 */
export interface Leases {
  /** Takes or prolongs the lease. False: another process has it. */
  take(name: string): Promise<boolean>;
  /** Gives the lease back, so that no other process has to wait until it expires. */
  release(name: string): Promise<void>;
}

export interface LeaseOptions {
  readonly records: RecordStore;
  /** The name of this process, different from all others. */
  readonly holder: string;
  /** The life of a lease that its holder does not prolong, in milliseconds. */
  readonly leaseMs: number;
  readonly clock: () => Date;
}

/** A lease with more than this number of lives left is free: it was taken before the clock was set back. */
const LIVES = 2;

/**
 * Leases in the collection `lanes`, by the clocks of the processes. `take` prolongs a lease only when a third of its
 * life is over, so it can be called often. A process that waits for a lease only reads it, together with others that it
 * waits for.
 */
export function storeLeases({ records, holder, leaseMs, clock }: LeaseOptions): Leases {
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
  return {
    async take(name) {
      const now = clock();
      const mine = { holder, until: later(now, leaseMs) };
      const known = prolongAt.get(name);
      if (known !== undefined && !isDue(known, now, leaseMs / 3)) return true;
      prolongAt.delete(name);
      const isHeld = (known !== undefined && (await prolong(name, mine))) || (await acquire(name, mine));
      if (isHeld) prolongAt.set(name, now.getTime() + leaseMs / 3);
      return isHeld;
    },
    async release(name) {
      prolongAt.delete(name);
      await records.change('lanes', name, { holder }, { set: { until: new Date(0) } });
    },
  };
}

function later(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms);
}
