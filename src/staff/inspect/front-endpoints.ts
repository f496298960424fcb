import { z } from 'zod';
import { answer, none, staffEndpoint } from '../../http/endpoint.ts';
import { text } from '../../http/input/fields.ts';
import { chartRange, resultSchema, troubleSchema } from '../wire.ts';
import { chargesOverTime } from './chart.ts';
import { search } from './search.ts';
import { troubles } from './trouble.ts';

export const searchAnything = staffEndpoint({
  summary:
    'Find by any id in any spelling, wallet, transaction, email address, reference, idempotency key, or the beginning of a name',
  params: none,
  query: z.object({ q: text(300) }),
  body: none,
  responses: { 200: z.strictObject({ q: z.string(), results: z.array(resultSchema) }) },
  errors: [],
  handle: async ({ query: { q } }, deps) => answer(200, { q, results: await search(deps, q) }),
});

export const getTrouble = staffEndpoint({
  summary: 'List the present trouble, and count settled and failed charges over time',
  params: none,
  query: z.object({ range: chartRange.default('day') }),
  body: none,
  responses: { 200: troubleSchema },
  errors: [],
  handle: async ({ query: { range }, now }, deps) => {
    const [sections, charges] = await Promise.all([troubles(deps), chargesOverTime(deps.store.records, range, now)]);
    return answer(200, { at: now.toISOString(), sections, charges });
  },
});
