import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { AnyStateMachine } from 'xstate';
import { deliveryMachine } from '../../machines/delivery.ts';
import { letterMachine } from '../../machines/letter.ts';
import { refundMachine } from '../../machines/refund.ts';
import { MACHINES } from '../../machines/versions.ts';
import { type Diagram, type DiagramLabel, type DiagramState, diagramOf } from '../../src/engine/diagram.ts';
import { ScriptError, scriptWith } from '../lib/script.ts';

const usage = `
npm run build -- diagram [--check]
  Draw the machines in Mermaid, between the markers of docs/architecture.md <!-- diagram: NAME --> and <!-- end -->.
    --check          change nothing; exit 1 if the page differs from the code

Exit codes: 0 done or up to date, 1 out of date or not done, 2 the arguments are wrong.
`;

const PAGE = fileURLToPath(new URL('../../docs/architecture.md', import.meta.url));

/** Machines whose state a document or an actor has. */
const WITHOUT_ACTORS = [
  ['refund', refundMachine],
  ['delivery', deliveryMachine],
  ['letter', letterMachine],
] as const;

export const diagram = scriptWith({
  usage,
  options: { check: { type: 'boolean' } },
  run: async ({ check }) => {
    const before = await readFile(PAGE, 'utf8');
    const actors = Object.entries(MACHINES).map(([name, { current }]) => [name, current] as const);
    const machines = [...actors.map(([name, { machine }]) => [name, machine] as const), ...WITHOUT_ACTORS];
    const after = machines.reduce((text, [name, machine]) => withDiagram(text, name, mermaidOf(machine)), before);
    if (before === after) return 0;
    if (check) throw new ScriptError('docs/architecture.md does not match the machines: run npm run build -- diagram');
    await writeFile(PAGE, after);
    return 0;
  },
});

function withDiagram(text: string, name: string, mermaid: string): string {
  const start = `<!-- diagram: ${name} -->`;
  const from = text.indexOf(start);
  const to = text.indexOf('<!-- end -->', from);
  if (from < 0 || to < 0)
    throw new ScriptError(`docs/architecture.md has no place for ${name}: expected ${start} … <!-- end -->`);
  return `${text.slice(0, from)}${start}\n\`\`\`mermaid\n${mermaid}\n\`\`\`\n${text.slice(to)}`;
}

/**
 * A machine as a Mermaid state diagram: every state with its children, and every transition to another state.
 * Transitions without a change of state (late messages, checks that change nothing) are left out.
 */
function mermaidOf(machine: AnyStateMachine): string {
  const diagram = diagramOf(machine);
  const lines = ['stateDiagram-v2', ...statesIn(diagram, null, '  ')];
  return [...lines, ...edgesOf(diagram)].join('\n');
}

/** The child states of `parent` (null: the top level), after an arrow to the initial one. */
function statesIn(diagram: Diagram, parent: string | null, indent: string): string[] {
  const children = diagram.states.filter((state) => state.parent === parent);
  const first = children.filter(({ isInitial }) => isInitial).map(({ id }) => `${indent}[*] --> ${named(id)}`);
  return [...first, ...children.flatMap((state) => stateOf(diagram, state, indent))];
}

function stateOf(diagram: Diagram, { id, key }: DiagramState, indent: string): string[] {
  const inner = statesIn(diagram, id, `${indent}  `);
  if (inner.length === 0) return [`${indent}${named(id)}: ${key}`];
  return [`${indent}state "${key}" as ${named(id)} {`, ...inner, `${indent}}`];
}

function edgesOf({ edges }: Diagram): string[] {
  return edges.map(({ from, to, labels }) => `  ${named(from)} --> ${named(to)}: ${labels.map(labelOf).join('<br/>')}`);
}

function labelOf({ event, guard }: DiagramLabel): string {
  return guard === null ? event : `${event} [${guard}]`;
}

function named(id: string): string {
  return id.replaceAll('.', '_');
}
