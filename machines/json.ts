import { z } from 'zod';

/** A value that JSON and BSON both keep as it is: what a snapshot, an event or an effect may consist of. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** Any JSON object. Checked through rather than parsed with `z.json()`, which takes as long as all else about an event. */
export const jsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>(isJsonObject, 'expected a JSON object');

/** Any value of JSON, searched in the same way. */
export const json: z.ZodType<Json> = z.custom<Json>(isJson, 'expected a JSON value');

/** What JSON and BSON both keep as it is, and has named fields. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value);
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.every(isJson);
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm has another Object.prototype: the one that has none above it.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  return Object.values(value).every(isJson);
}
