import type { Json, JsonObject } from '../../../machines/json.ts';
import { canonical } from '../../engine/canonical.ts';
import type { StoredState } from '../../engine/step.ts';
import type { SnapshotChange } from '../wire.ts';

/** The differences of two snapshots, field by field; a list counts as one field. `before` null: everything is new. */
export function differences(before: StoredState | null, after: StoredState): SnapshotChange[] {
  const state = { path: 'state', before: before?.value ?? null, after: after.value };
  const moved = canonical(state.before) === canonical(state.after) ? [] : [state];
  return [...moved, ...within('', before?.context ?? {}, after.context)];
}

function within(path: string, before: JsonObject, after: JsonObject): SnapshotChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [was, is] = [before[name] ?? null, after[name] ?? null];
    if (canonical(was) === canonical(is)) return [];
    const place = path === '' ? name : `${path}.${name}`;
    return isMap(was) && isMap(is) ? within(place, was, is) : [{ path: place, before: was, after: is }];
  });
}

function isMap(value: Json): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
