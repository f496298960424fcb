import type { Scalar, Tally, TallyQuery } from '../port.ts';
import { valuesAt } from '../values-at.ts';

/** The groups of documents that match already. */
export function tallyOf(docs: readonly object[], { by, period, sum, limit }: TallyQuery): Tally[] {
  const groups = new Map<string, Tally>();
  for (const doc of docs) {
    const values = by.map((path) => scalarAt(doc, path));
    const start = period && startOf(scalarAt(doc, period.of), period.unit);
    const key = JSON.stringify([values, start]);
    const before = groups.get(key) ?? { by: values, start, count: 0, sum: 0n };
    const more = sum === null ? 0n : BigInt(String(scalarAt(doc, sum) ?? 0));
    groups.set(key, { ...before, count: before.count + 1, sum: before.sum + more });
  }
  return [...groups.values()].slice(0, limit);
}

function scalarAt(doc: object, path: string): Scalar {
  const [value] = valuesAt(doc, path.split('.'));
  const isScalar =
    value instanceof Date || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? value : null;
}

function startOf(moment: Scalar, unit: 'day' | 'month'): Date | null {
  if (typeof moment !== 'string' && !(moment instanceof Date)) return null;
  const date = new Date(moment);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), unit === 'day' ? date.getUTCDate() : 1));
}
