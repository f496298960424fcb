import type { Created } from '../billing/resources/idempotency.ts';

/**
 * The answer of an idempotent create (reference, section 8): 201 for a new resource, 200 for the one that its key made
 * before, with `Idempotency-Mismatch: true` if the body was another.
 */
export function createdAnswer<T, V>({ resource, replayed, mismatch }: Created<T>, view: (resource: T) => V) {
  return {
    status: replayed ? 200 : 201,
    body: view(resource),
    headers: mismatch ? { 'Idempotency-Mismatch': 'true' } : {},
  } as const;
}
