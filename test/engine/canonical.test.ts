import fc from 'fast-check';
import { type Json, json } from '../../machines/json.ts';
import { CHARACTERS_MAX, canonical, hashOf, KeyOrders } from '../../src/engine/canonical.ts';
import { actorTime, outermost, projectionOf } from '../../src/engine/projection.ts';

/** The canonical text, with the keys of each object sorted anew. */
function plain(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(plain).join(',')}]`;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${plain(item)}`).join(',')}}`;
}

describe('canonical JSON', () => {
  it('is the same for any order of keys, at any depth', () => {
    expect(canonical({ b: [{ d: 1, c: null }], a: 'x' })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
    const key = fc.oneof(fc.constantFrom('__proto__', 'toJSON', '10', '9', '', 'a', 'a,b', 'b', '\ud800'), fc.string());
    const values = [fc.constantFrom(null, true, -0, 1e21, '"\\\u2028', '\ud800'), fc.string(), fc.integer()];
    fc.assert(
      fc.property(fc.anything({ key, values, maxDepth: 4 }), (value) => {
        const parsed = json.parse(value);
        expect(canonical(parsed)).toBe(plain(parsed));
      }),
      { numRuns: 1_000 },
    );
  });

  it('forgets the kept keys when there are too many', () => {
    const orders = new KeyOrders();
    const common = orders.sorted(['b', 'a']);
    expect(orders.sorted(['b', 'a'])).toBe(common);
    const sizes = Array.from({ length: 50_000 }, (_, made) => orders.sorted([`${made}`, 'a']) && orders.size);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(CHARACTERS_MAX);
    expect(orders.sorted(['b', 'a'])).toEqual(common);
  });

  it('hashes a snapshot by its state, its context and the effects', () => {
    const hash = hashOf({ value: 'open', context: { a: 1, b: 2 } }, []);
    expect(hash).toMatch(/^[\w-]{22}$/);
    expect(hashOf({ context: { b: 2, a: 1 }, value: 'open' }, [])).toBe(hash);
    expect(hashOf({ value: 'closed', context: { a: 1, b: 2 } }, [])).not.toBe(hash);
    expect(hashOf({ value: 'open', context: { a: 1, b: 2 } }, [{ type: 'allowance.unwatch' }])).not.toBe(hash);
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
