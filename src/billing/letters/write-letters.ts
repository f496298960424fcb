import { z } from 'zod';
import type { EffectOf } from '../../../machines/effects.ts';
import { type EffectHandler, type EffectItem, type EffectResult, troubleOf } from '../../engine/types.ts';
import type { LetterDoc } from '../../store/collections.ts';
import { paymentIdOf, siblingId } from '../../store/ids.ts';
import type { RecordsDeps } from '../deps.ts';

type WriteItem = EffectItem<EffectOf<'letter.write'>>;

const about = z.object({ paymentId: z.string().optional(), invoiceId: z.string().optional() });

/** Stores the letters of payers with an address, each once: its id follows from the effect. The job sends them. */
export function writeLetters({ store: { records }, clock }: RecordsDeps): EffectHandler<EffectOf<'letter.write'>> {
  return async (items) => {
    try {
      const ids = [...new Set(items.map(({ effect }) => effect.customerId))];
      const customers = await records.get('customers', ids);
      const reachable = new Set(customers.flatMap(({ _id, email }) => (email === null ? [] : [_id])));
      const wanted = items.filter(({ effect }) => reachable.has(effect.customerId));
      if (wanted.length > 0)
        await records.insert(
          'letters',
          wanted.map((item) => letterDoc(item, clock())),
        );
      return items.map((): EffectResult => 'done');
    } catch (error) {
      return items.map(() => troubleOf(error));
    }
  };
}

/** How every letter begins. */
export const QUEUED: Pick<LetterDoc, 'status' | 'attempt' | 'attempts' | 'stop' | 'rev'> = {
  ...{ status: 'queued', attempt: 0, attempts: [], stop: null, rev: 1 },
};

function letterDoc({ id, at, source, effect: { letter, customerId, data } }: WriteItem, now: Date): LetterDoc {
  const { paymentId, invoiceId } = about.parse(data);
  const payment = paymentId ?? invoiceId;
  return {
    _id: siblingId('ltr', source.id, id),
    merchantId: source.merchantId,
    mode: source.mode,
    ...{ letter, customerId, data },
    resourceId: source.id,
    paymentId: payment === undefined ? null : paymentIdOf(payment),
    ...QUEUED,
    wakeAt: now,
    createdAt: at,
    updatedAt: now,
  };
}
