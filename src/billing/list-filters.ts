import type { Where } from '../store/port.ts';

/** When the resources of a list were created; an absent bound does not limit. */
export interface CreatedRange {
  readonly gt?: Date;
  readonly gte?: Date;
  readonly lt?: Date;
  readonly lte?: Date;
}

/** The condition on resources that were created in this range. */
export function createdIn(created: CreatedRange | null): Where {
  return created === null || Object.keys(created).length === 0 ? {} : { createdAt: { ...created } };
}

/** Notes of the merchant on a resource: string to string. */
export type Metadata = { readonly [key: string]: string };

/** The condition on resources whose metadata, at this path, have all of these values. No key has a dot, or begins with `$`. */
export function metadataIn(path: string, metadata: Metadata | null): Where {
  return Object.fromEntries(Object.entries(metadata ?? {}).map(([key, value]) => [`${path}.${key}`, value]));
}
