import type { AnyStateMachine } from 'xstate';
import { type Diagram, type DiagramLabel, type DiagramState, diagramOf } from '../../../src/engine/diagram.ts';

/**
 * A machine as a Mermaid state diagram: every state with its children, and every transition to another state.
 * Transitions without a change of state (late messages, checks that change nothing) are left out.
 */
export function mermaidOf(machine: AnyStateMachine): string {
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
