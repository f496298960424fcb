import fc from 'fast-check';
import { z } from 'zod';
import { canonical, hashOf } from '../../src/engine/canonical.ts';
import { actorTime, outermost, projectionOf } from '../../src/engine/projection.ts';

const json = z.json();

/** The same value with the keys of every object in the opposite order. */
function reversed(value: z.infer<typeof json>): z.infer<typeof json> {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

describe('canonical JSON', () => {
  it('is the same for any order of keys, at any depth', () => {
    expect(canonical({ b: [{ d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const parsed = json.parse(JSON.parse(JSON.stringify(value)));
        expect(canonical(reversed(parsed))).toBe(canonical(parsed));
        expect(JSON.parse(canonical(parsed))).toEqual(JSON.parse(JSON.stringify(parsed)));
      }),
    );
  });

  it('differs for different values', () => {
    const values = [null, 0, '', false, [], {}, [null], { a: null }, '0', [0], { a: 0 }, { a: '0' }];
    expect(new Set(values.map(canonical)).size).toBe(values.length);
  });

  it('hashes a snapshot by its state and its context', () => {
    const hash = hashOf({ value: 'open', context: { a: 1, b: 2 } });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hashOf({ context: { b: 2, a: 1 }, value: 'open' })).toBe(hash);
    expect(hashOf({ value: 'closed', context: { a: 1, b: 2 } })).not.toBe(hash);
  });
});

describe('the top fields of a document', () => {
  it('show the outermost state of the snapshot, and its wake in real time', () => {
    const context = { wakeAt: '2026-03-02T00:00:00.000Z', clockOffsetMs: 3_600_000, more: 1 };
    expect(projectionOf({ value: { pending: 'charging' }, context })).toEqual({
      status: 'pending',
      wakeAt: new Date('2026-03-01T23:00:00.000Z'),
      clockOffsetMs: 3_600_000,
    });
    expect(projectionOf({ value: 'open', context: { ...context, wakeAt: null } }).wakeAt).toBeNull();
  });

  it('cannot be computed without a state or frame', () => {
    expect(() => outermost({})).toThrow('no state in {}');
    expect(() => outermost(null)).toThrow();
    expect(() => projectionOf({ value: 'open', context: {} })).toThrow();
  });

  it('show the actor’s own time, computed from the clock and its offset', () => {
    expect(actorTime(new Date('2026-03-01T00:00:00.000Z'), 1_500)).toBe('2026-03-01T00:00:01.500Z');
  });
});
