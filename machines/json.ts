import { z } from 'zod';

/** A value that JSON and BSON both preserve: the content of snapshots, events and effects. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/**
 * Any JSON object. A custom check, because parsing with `z.json()` takes as long as the rest of an event's processing.
 */
export const jsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>(isJsonObject, 'expected a JSON object');

/** Any JSON value, checked in the same way. */
export const json: z.ZodType<Json> = z.custom<Json>(isJson, 'expected a JSON value');

/** Whether a value is an object with named fields, whatever they hold. */
export function isMap(value: Json | undefined): value is JsonObject;
export function isMap(value: unknown): value is object;
export function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is an object with named fields that JSON and BSON both preserve. */
function isJsonObject(value: unknown): value is JsonObject {
  return isMap(value) && isJson(value);
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.every(isJson);
  const prototype: unknown = Object.getPrototypeOf(value);
  // Another realm has its own Object.prototype: the prototype that has no prototype.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  return Object.values(value).every(isJson);
}
