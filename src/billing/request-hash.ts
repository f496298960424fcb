import { createHash } from 'node:crypto';

/**
 * Names the body of a create: equal for bodies that mean the same, whatever the order of their fields; fields that the
 * endpoint does not know do not count. A replay with another hash is told so (`Idempotency-Mismatch`).
 */
export function requestHash(body: object): string {
  return createHash('sha256').update(canonical(body)).digest('hex');
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isMap(inner) ? sorted(inner) : inner)) ?? 'null';
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: object): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
