import { z } from 'zod';
import { Fault } from '../../errors/fault.ts';
import type { Log } from '../../observability/log.ts';
import type { OfferDoc } from '../../store/collections.ts';
import { offerSchema, offerView } from '../views/offer.ts';

/** The most offers in one call. */
export const BATCH_MAX = 100;

const itemId = z.string().describe('The id of the offer, as sent.');

/** An item that succeeded. */
const doneSchema = z.strictObject({
  id: itemId,
  status: z.literal(200).describe('The status of the call for this offer alone.'),
  offer: offerSchema.describe('The offer after the change; for a deletion, before it.'),
});

/** An item that was refused. */
const failedSchema = z.strictObject({
  id: itemId,
  status: z.int().min(400).describe('The status of the call for this offer alone.'),
  error: z.string().describe('The error of this item.'),
});

/** The result of each offer of a batch, in the order of the request (docs/rules.md, "Offers"). */
export const batchSchema = z.strictObject({
  results: z.array(z.union([doneSchema, failedSchema])).describe('One result per item, in the order of the request.'),
});

export interface BatchContext {
  readonly publicUrl: string;
  readonly requestId: string;
  readonly log: Log;
}

/** Runs each item by itself, one after another: an error of one stops no other. */
export async function inBatch<T extends { readonly id: string }>(
  items: readonly T[],
  context: BatchContext,
  act: (item: T) => Promise<OfferDoc>,
): Promise<z.output<typeof batchSchema>> {
  const results: z.output<typeof batchSchema>['results'] = [];
  for (const item of items) {
    try {
      results.push({ id: item.id, status: 200, offer: offerView(await act(item), context.publicUrl) });
    } catch (error) {
      results.push({ id: item.id, ...failure(error, item.id, context) });
    }
  }
  return { results };
}

function failure(error: unknown, offer: string, { requestId, log }: BatchContext): { status: number; error: string } {
  if (error instanceof Fault && error.status < 500) return { status: error.status, error: error.message };
  log.error(
    { requestId, offer, err: error },
    'this offer of a batch failed with an internal error; the next offers follow',
  );
  return { status: 500, error: 'Internal error' };
}
