import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import type { JsonObject } from '../../../machines/json.ts';
import { parseOnce } from '../../../machines/parse-once.ts';
import { familyOf, MACHINES, type MachineVersion } from '../../../machines/versions.ts';
import { canonical } from '../../../src/engine/canonical.ts';
import { actorKind } from '../../../src/engine/journal.ts';
import { upcast, versionsOf } from '../../../src/engine/upcast.ts';
import { newToy, toyContext, toyVersion } from '../../engine/support/toy.ts';
import { type Fixture, fileOf, fixturesOf, problemsOf, problemsWith } from './corpus.ts';
import { driveOn } from './drive.ts';

const VERSIONS = actorKind.options.flatMap((kind) =>
  versionsOf(MACHINES[kind]).map((version) => [kind, version.version, version] as const),
);

const FIXTURES = VERSIONS.flatMap(([kind, number, version]) =>
  fixturesOf(kind, number).map((fixture) => [kind, number, fixture.name, version, fixture] as const),
);

/** The final states of actors that continue from a fixture. Canceled payments do not change. */
const ENDS = {
  subscription: ['canceled.closed'],
  payment: ['settled', 'canceled'],
} as const;

describe('the fixtures of every released version', () => {
  it.each(actorKind.options)('show that every %s ever stored can be read: each state, each field', (kind) => {
    expect(problemsOf(MACHINES[kind], (version) => fixturesOf(kind, version))).toEqual([]);
  });

  it('belong to registered versions', () => {
    const files = VERSIONS.map(([kind, version]) => basename(fileOf(kind, version)));
    expect(readdirSync(import.meta.dirname).filter((name) => name.endsWith('.jsonl'))).toEqual(files.sort());
  });

  it.each(VERSIONS)('%s %i is the version that its machine names', (_, number, { machine }) => {
    expect(machine.version).toBe(String(number));
  });
});

describe('a stored snapshot', () => {
  it.each(FIXTURES)('of %s %i, %s, becomes one of the newest version and reaches its end', (kind, ...rest) => {
    const [, , version, { value, context }] = rest;
    const family = MACHINES[kind];
    const newest = upcast(family, version, family.current.version, { value, context });
    if (version === family.current) expect(canonical({ ...newest })).toBe(canonical({ value, context }));
    expect(ENDS[kind]).toContain(driveOn(kind, newest));
  });
});

describe('the check of the fixtures', () => {
  const [open, closed]: [Fixture, Fixture] = [
    { name: 'open', value: 'open', context: full() },
    { name: 'closed', value: 'closed', context: full() },
  ];

  function full() {
    return newToy('sub_1', {
      wakeAt: '2026-03-01T12:00:00.000Z',
      clockOffsetMs: 1,
      heard: [['pay_1', [1, 0]]],
      count: 1,
      woken: 1,
      text: 'x',
    });
  }

  function changed(context: z.ZodType<JsonObject>): MachineVersion {
    return { ...toyVersion, context: parseOnce(context) };
  }

  it('finds missing fixtures of a released version', () => {
    const next: MachineVersion = { ...toyVersion, version: 2, upcast: (before) => before };
    const family = familyOf([toyVersion, next]);
    expect(problemsOf(family, (version) => (version === 1 ? [open, closed] : []))).toEqual([
      'version 2: no fixture is in open',
      'version 2: no fixture is in closed',
    ]);
  });

  it('finds a missing state and a missing field', () => {
    const hollow = { ...open, context: { ...full(), text: '' } };
    expect(problemsWith(toyVersion, [hollow])).toEqual([
      'no fixture is in closed',
      'context.text is empty in every fixture',
    ]);
  });

  it.each<[string, MachineVersion]>([
    ['asks for another field', changed(z.strictObject({ ...toyContext.shape, more: z.int() }))],
    ['has lost a field', changed(toyContext.omit({ count: true }))],
    ['takes less than before', changed(z.strictObject({ ...toyContext.shape, count: z.int().max(0) }))],
    ['makes something up', changed(z.strictObject({ ...toyContext.shape, more: z.int().default(1) }))],
    ['drops what it does not know', changed(z.object(toyContext.omit({ count: true }).shape))],
  ])('finds a released version whose schema %s', (_, version) => {
    expect(problemsWith(version, [open, closed])).toHaveLength(2);
  });

  it('finds a released version that has lost a state', () => {
    expect(problemsWith(toyVersion, [{ ...open, value: 'ajar' }, open, closed])).toEqual([
      expect.stringContaining('open cannot be restored'),
    ]);
  });
});
