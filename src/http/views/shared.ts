import { z } from 'zod';
import type { JsonObject } from '../../../machines/json.ts';

/** The body of every error (reference, section 7; decisions, "Errors"): no other keys. */
export const errorSchema = z.strictObject({ error: z.string().min(1) });

/** A moment as every response shows it: ISO 8601, UTC, milliseconds. */
export const moment = z.iso.datetime({ precision: 3 });

/** A computed amount: token units, at least two places (decisions, "Money"). */
export const computedAmount = z.string().regex(/^(0|[1-9]\d*)\.(\d\d|\d+[1-9])$/);

/** Any JSON object. */
export const jsonMap: z.ZodType<JsonObject> = z.record(z.string(), z.json());

export const stringMap = z.record(z.string(), z.string());

/** The id with its prefix and 26 characters. */
export function idSchema(prefix: 'offer_' | 'price_' | 'cust_' | 'pay_' | 'wal_' | 'mrc_' | 'inv_' | 'sub_' | 'evt_') {
  return z.string().regex(new RegExp(`^${prefix}[0-9a-z]{26}$`));
}

/** What DELETE answers (decisions, "Offers", "Wallets", "Customers"). */
export const deletedSchema = z.strictObject({ id: z.string(), deleted: z.literal(true) });

export function deletedView(id: string): z.output<typeof deletedSchema> {
  return { id, deleted: true };
}

/** `limit` and `start` as every list echoes them. */
export const pageEcho = { limit: z.int(), start: z.int() };

export function momentOrNull(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
