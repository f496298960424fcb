import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyStateMachine } from 'xstate';
import type { z } from 'zod';
import type { EventOf, EventsOf, TestActor } from './actor.ts';
import { leavesOf } from './nodes.ts';

/** A machine, and its table in `../tables`. */
export interface StateTable<K extends keyof EventsOf, A extends TestActor<K>> {
  readonly kind: K;
  readonly machine: AnyStateMachine;
  /** All its events, by their type. */
  readonly eventTypes: readonly z.ZodObject<{ type: z.ZodLiteral<EventOf<K>['type']> }>[];
  /** The actors of the table, at their time, by their title: the state, and after a comma what differs. */
  readonly cases: Readonly<Record<string, () => A>>;
  /** Every event, and its variants, as they come to this actor. */
  readonly events: (to: A) => Readonly<Record<string, EventOf<K>>>;
}

/**
 * Tests every event in every state. A table has a paragraph for each case: its title, a line for each accepted event
 * with the next state and the effects, and after `stays:` the accepted events that have neither. All others are
 * refused.
 */
export function describeStateTable<K extends keyof EventsOf, A extends TestActor<K>>(table: StateTable<K, A>): void {
  const { kind, machine, eventTypes, cases, events } = table;
  const expected = readTable(kind);
  const [any] = Object.values(cases);
  const names = any === undefined ? [] : Object.keys(events(any()));

  describe(`a ${kind} with every event in every state`, () => {
    it('has a case for each state, and every event in each case', () => {
      expect([...expected.keys()]).toEqual(Object.keys(cases));
      const states = new Set([...expected.keys()].map((title) => title.split(', ')[0]));
      expect([...states].sort()).toEqual(leavesOf(machine).sort());
      const types = new Set(names.map((name) => name.split(', ')[0]));
      expect([...types].sort()).toEqual(eventTypes.map(({ shape }) => shape.type.value).sort());
      expect(names).toEqual(expect.arrayContaining([...expected.values()].flatMap((outcomes) => [...outcomes.keys()])));
    });

    describe.each(Object.entries(cases))('%s', (title, make) => {
      it('is in that state', () => {
        expect(make().stateName).toBe(title.split(', ')[0]);
      });

      it.each(names)('reaches the state of the table on %s', (name) => {
        const made = make();
        const event = events(made)[name];
        expect(event && made.outcomeOf(event)).toBe(expected.get(title)?.get(name) ?? null);
      });
    });
  });
}

/** The outcomes of accepted events, by case and name of the event. */
function readTable(kind: string): Map<string, Map<string, string>> {
  const text = readFileSync(join(import.meta.dirname, `../tables/${kind}.txt`), 'utf8');
  return new Map(
    text.split('\n\n').map((paragraph) => {
      const [title = '', ...lines] = paragraph.trim().split('\n');
      return [title, new Map(lines.flatMap((line) => rowsOf(line, title.split(', ')[0] ?? '')))];
    }),
  );
}

function rowsOf(line: string, state: string): [event: string, outcome: string][] {
  const [, events] = /^ {2}stays: (.+)$/.exec(line) ?? [];
  if (events !== undefined) return events.split('; ').map((event) => [event, state]);
  const [event, outcome, ...rest] = line.trim().split(/ {2,}/);
  if (event === undefined || outcome === undefined || rest.length > 0) throw new Error(`${line}: expected two columns`);
  return [[event, outcome]];
}
