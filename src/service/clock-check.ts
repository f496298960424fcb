import type { Log } from '../observability/log.ts';

/** Receivers of webhooks refuse signatures that are further off. */
const APART_MAX_MS = 5 * 60_000;

export type ClockCheck = ReturnType<typeof createClockCheck>;

/** Compares the clock of this process with the dates of the nodes' answers. `isMoved`: a test has set it on purpose. */
export function createClockCheck(clock: () => Date, log: Log, isMoved = false) {
  const troubles = new Map<string, string>();
  return {
    /** One sentence for each node with another time; null: there is none. */
    trouble: (): string | null => (troubles.size === 0 ? null : [...troubles.values()].join('; ')),
    isWrong: (): boolean => troubles.size > 0 && !isMoved,
    /** Logs a warning when a node begins to have another time. */
    note(host: string, date: Date): void {
      const aheadMs = clock().getTime() - date.getTime();
      if (!(Math.abs(aheadMs) > APART_MAX_MS)) {
        troubles.delete(host);
        return;
      }
      const minutes = Math.round(Math.abs(aheadMs) / 60_000);
      const sentence = `this machine's clock is ${minutes} minutes ${aheadMs > 0 ? 'ahead of' : 'behind'} ${host}: set it by NTP`;
      if (!troubles.has(host)) log.warn({ host, aheadMs }, sentence);
      troubles.set(host, sentence);
    },
  };
}
