import { createHash } from 'node:crypto';
import { isMap } from '../../machines/json.ts';
import type { Affiliate } from './affiliate.ts';

/**
 * The hash of a create, equal for bodies with the same meaning. Pass the parsed request, with defaults for absent
 * fields. The order of fields does not count; the order of a list does. A replay with another hash is answered with
 * `Idempotency-Mismatch`.
 */
export function requestHash(body: object): string {
  return createHash('sha256').update(canonical(body)).digest('hex');
}

/** A decimal in canonical spelling: `10`, `10.00` and `010` are equal. */
export function sameDecimal(text: string): string {
  const whole = text.replace(/^0+(?=\d)/, '');
  return whole.includes('.') ? whole.replace(/\.?0+$/, '') : whole;
}

/** An address in canonical spelling: EVM addresses compare case-insensitively. */
export function sameAddress<T extends string | null | undefined>(text: T): T | string {
  return typeof text === 'string' && /^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : text;
}

/** An affiliate with its percentage in canonical spelling. */
export function sameAffiliate(affiliate: Affiliate | null): Affiliate | null {
  return affiliate && { ...affiliate, commissionPct: sameDecimal(affiliate.commissionPct) };
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isMap(inner) ? sorted(inner) : inner)) ?? 'null';
}

function sorted(value: object): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
