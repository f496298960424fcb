import type { RecordStore } from '../../store/port.ts';
import type { Chart, ChartRange } from '../wire.ts';

/** The length of a bar, and the number of bars. */
const RANGES = {
  day: { bars: 24, ms: 3_600_000 },
  week: { bars: 28, ms: 6 * 3_600_000 },
} as const;

/** The highest count of a bar. */
const COUNTED_MOST = 10_000;

export async function chargesOverTime(records: RecordStore, range: ChartRange, now: Date): Promise<Chart> {
  const { bars, ms } = RANGES[range];
  const last = Math.floor(now.getTime() / ms);
  const starts = Array.from({ length: bars }, (_, index) => new Date((last - bars + 1 + index) * ms));
  const counted = starts.map(async (from) => {
    const updatedAt = { gte: from, lt: new Date(from.getTime() + ms) };
    const [settled, failed] = await Promise.all(
      (['final', 'refused'] as const).map((state) => records.count('charges', { state, updatedAt }, COUNTED_MOST)),
    );
    return { from: from.toISOString(), settled: settled ?? 0, failed: failed ?? 0 };
  });
  return { range, barMs: ms, bars: await Promise.all(counted) };
}
