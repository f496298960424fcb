import type { Created } from '../billing/services.ts';

/**
 * The answer of an idempotent create (reference, section 8): 201 for what is new, 200 for what its key had made before,
 * with `Idempotency-Mismatch: true` when that was with another body.
 */
export function createdAnswer<T, V>({ resource, replayed, mismatch }: Created<T>, view: (resource: T) => V) {
  return {
    status: replayed ? 200 : 201,
    body: view(resource),
    headers: mismatch ? { 'Idempotency-Mismatch': 'true' } : {},
  } as const;
}
