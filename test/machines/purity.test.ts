import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { MACHINES } from '../../machines/versions.ts';

const FOLDER = join(import.meta.dirname, '../../machines');

const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** Code that makes a machine depend on more than its snapshot and its event (docs/rules.md, rule 2). */
const IMPURE: Readonly<Record<string, RegExp>> = {
  'reads a clock': /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\)|\bperformance\b|\bhrtime\b|\bTemporal\b/,
  'draws a random number': /\bMath\.random\b|\bcrypto\b|\brandomUUID\b|\bgetRandomValues\b/,
  'makes a date in the time zone of its process': /\bnew Date\((?!Date\.UTC\()[^;\n]*,/,
  'uses a date in the time zone of its process':
    /\.[gs]et(?:FullYear|Month|Date|Day|Hours|Minutes|TimezoneOffset)\(|\.to(?:Locale|Date|Time)\w*String|DateTimeFormat/,
  'reads its environment': /\bprocess\b|\bglobalThis\b|\bimport\.meta\b|\brequire\(/,
  'does something by itself':
    /\bfetch\b|\bconsole\b|\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bawait\b/,
  'waits or starts something in the machine':
    /\binvoke\s*:|\bafter\s*:|\bspawn|\bfromPromise\b|\bcreateActor\b|\braise\(/,
};

function codeOf(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\/\/.*$/gm, '');
}

function nodesOf(machine: AnyStateMachine): AnyStateNode[] {
  const under = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(under)];
  return under(machine.root);
}

describe('the machines are pure', () => {
  it('has files to check', () => {
    expect(FILES.length).toBeGreaterThan(15);
  });

  it.each(Object.entries(IMPURE))('nothing in machines/ %s', (_, pattern) => {
    const found = FILES.flatMap(
      (name) =>
        codeOf(name)
          .match(pattern)
          ?.map((match) => `${name}: ${match}`) ?? [],
    );
    expect(found).toEqual([]);
  });

  it.each(Object.entries(MACHINES))('%s has no invocations, delays or state actions', (_, { current }) => {
    for (const node of nodesOf(current.machine)) {
      expect({ id: node.id, invoke: node.invoke, after: node.after, entry: node.entry, exit: node.exit }).toEqual({
        id: node.id,
        invoke: [],
        after: [],
        entry: [],
        exit: [],
      });
    }
  });

  it.each(Object.entries(MACHINES))('%s describes each of its states', (_, { current }) => {
    const silent = nodesOf(current.machine).filter(
      (node) => Object.keys(node.states).length === 0 && !node.description,
    );
    expect(silent.map(({ id }) => id)).toEqual([]);
  });
});
