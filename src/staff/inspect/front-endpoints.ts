import { z } from 'zod';
import { notFound } from '../../errors/fault.ts';
import { answer } from '../../http/endpoint.ts';
import { page, queryInteger, text } from '../../http/input/fields.ts';
import { staffEndpoint } from '../endpoint.ts';
import { chartRange, resultSchema, troubleListSchema, troubleName, troubleSchema } from '../wire.ts';
import { chargesOverTime } from './chart.ts';
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
