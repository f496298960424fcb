import { z } from 'zod';
import { notFound } from '../../errors/fault.ts';
import { answer } from '../../http/endpoint.ts';
import { page, queryInteger, text } from '../../http/input/fields.ts';
import type { RecordStore } from '../../store/port.ts';
import { staffEndpoint } from '../endpoint.ts';
import {
  type Chart,
  type ChartRange,
  chartRange,
  resultSchema,
  troubleListSchema,
  troubleName,
  troubleSchema,
} from '../wire.ts';
import { search } from './search.ts';
import { troubleList, troubles } from './trouble.ts';

export const searchAnything = staffEndpoint({
  summary:
    'Find by any id in any spelling, wallet, transaction, email address, reference, idempotency key, or the beginning of a name',
  query: z.object({ q: text(300) }),
  responses: { 200: z.strictObject({ q: z.string(), results: z.array(resultSchema) }) },
  handle: async ({ query: { q } }, deps) => answer(200, { q, results: await search(deps, q) }),
});

export const listTrouble = staffEndpoint({
  summary: 'List all of one kind of trouble, in pages; held deposits are counted by payment',
  params: z.object({ name: z.string() }),
  query: z.object({ limit: page.limit, start: queryInteger(0, 1_000, 'must be between 0 and 1000').optional() }),
  responses: { 200: troubleListSchema },
  errors: [404],
  handle: async ({ params, query: { limit, start = 0 }, now }, deps) => {
    const name = troubleName.safeParse(params.name);
    if (!name.success) throw notFound();
    const { section, hasMore } = await troubleList(deps, name.data, { limit, start });
    return answer(200, { ...section, limit, start, hasMore, at: now.toISOString() });
  },
});

export const getTrouble = staffEndpoint({
  summary: 'List the present trouble, and count settled and failed charges over time',
  query: z.object({ range: chartRange.default('day') }),
  responses: { 200: troubleSchema },
  handle: async ({ query: { range }, now }, deps) => {
    const [sections, charges] = await Promise.all([troubles(deps), chargesOverTime(deps.store.records, range, now)]);
    return answer(200, { at: now.toISOString(), sections, charges });
  },
});

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
