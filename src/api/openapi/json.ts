import type { Json, JsonObject } from '../../../machines/json.ts';

/** The value as plain JSON, without undefined fields. Throws for a value that is not JSON. */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object') return toJsonObject(value);
  throw new Error(`The published document must be JSON, but has a ${typeof value}`);
}

export function toJsonObject(value: object): JsonObject {
  const there = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(there.map(([key, inner]) => [key, toJson(inner)]));
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
