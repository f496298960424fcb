import { z } from 'zod';

const batch = z.looseObject({ offers: z.array(z.looseObject({})) });
const results = z.object({ results: z.array(z.object({ status: z.int() })) });

/** The accepted part of a request's body: of a batch's refused items, only the ids remain. */
export function takenOf(sent: unknown, answered: unknown): unknown {
  const asked = batch.safeParse(sent);
  const answer = results.safeParse(answered);
  if (!asked.success || !answer.success) return sent;
  const offers = asked.data.offers.map((item, index) => {
    return answer.data.results[index]?.status === 200 ? item : { id: item['id'] };
  });
  return { ...asked.data, offers };
}
