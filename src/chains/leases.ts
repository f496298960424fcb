import type { RecordStore } from '../store/port.ts';

/**
 * Who does what only one process at a time needs to do. Nothing is unsafe when two hold the same lease for a while (clocks
 * differ): it only wastes work.
 */
export interface Leases {
  /** Takes or prolongs it; false: another holder has it. */
  take(name: string): Promise<boolean>;
  /** Gives it back, so that another need not wait until it runs out. */
  release(name: string): Promise<void>;
}

export interface LeaseOptions {
  readonly records: RecordStore;
  /** Names this process, and no other. */
  readonly holder: string;
  /** How long a lease of a holder that says nothing any more stays taken. */
  readonly leaseMs: number;
  readonly clock: () => Date;
}

/** Nobody takes a lease for so many of its lives: one that lasts longer is from before the clock was set back, and free. */
const LIVES = 2;

/**
 * Leases kept in the collection `lanes`, by the clocks of the processes. One that has been taken is prolonged when a third
 * of it is over, however often it is asked for.
 */
export function storeLeases({ records, holder, leaseMs, clock }: LeaseOptions): Leases {
  const prolongAt = new Map<string, number>();
  const write = async (name: string): Promise<boolean> => {
    const now = clock();
    const mine = { holder, until: later(now, leaseMs) };
    if (await records.change('lanes', name, { holder }, { set: mine })) return true;
    if (await records.change('lanes', name, { until: { lt: now } }, { set: mine })) return true;
    if (await records.change('lanes', name, { until: { gt: later(now, LIVES * leaseMs) } }, { set: mine })) return true;
    const [verdict] = await records.insert('lanes', [{ _id: name, ...mine }]);
    return verdict?.inserted === true;
  };
  return {
    async take(name) {
      const now = clock().getTime();
      if (now < (prolongAt.get(name) ?? 0)) return true;
      prolongAt.delete(name);
      const isHeld = await write(name);
      if (isHeld) prolongAt.set(name, now + leaseMs / 3);
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
