import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/**
 * A machine as a Mermaid state diagram: every state with its children, and every transition that leads somewhere. What a
 * state takes without leaving it (late messages, looks that change nothing) is left out.
 */
export function mermaidOf(machine: AnyStateMachine): string {
  const lines = ['stateDiagram-v2', ...initialOf(machine.root, '  '), ...statesOf(machine.root, '  ')];
  return [...lines, ...edgesOf(machine.root)].join('\n');
}

function statesOf(node: AnyStateNode, indent: string): string[] {
  return Object.values(node.states).flatMap((child) => {
    const children = Object.keys(child.states).length;
    if (children === 0) return [`${indent}${idOf(child)}: ${child.key}`];
    const inner = [...initialOf(child, `${indent}  `), ...statesOf(child, `${indent}  `)];
    return [`${indent}state "${child.key}" as ${idOf(child)} {`, ...inner, `${indent}}`];
  });
}

function initialOf(node: AnyStateNode, indent: string): string[] {
  const first = node.initial.target?.[0];
  return first ? [`${indent}[*] --> ${idOf(first)}`] : [];
}

/** Transitions between the same two states share one arrow; a guard stands behind its event. */
function edgesOf(root: AnyStateNode): string[] {
  const labels = new Map<string, string[]>();
  for (const node of descendants(root)) {
    for (const transition of [...node.transitions.values()].flat()) {
      const [target] = transition.target ?? [];
      if (!target) continue;
      const edge = `  ${idOf(node)} --> ${idOf(target)}`;
      labels.set(edge, [...(labels.get(edge) ?? []), labelOf(transition)]);
    }
  }
  return [...labels].map(([edge, texts]) => `${edge}: ${[...new Set(texts)].join('<br/>')}`);
}

function descendants(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(descendants)];
}

function labelOf({ eventType, guard }: AnyTransitionDefinition): string {
  const condition = guardText(guard);
  return condition === '' ? eventType : `${eventType} [${condition}]`;
}

/** A named guard by its name; `and` and `not` by what they are made of. */
function guardText(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  if (guard === null || guard === undefined) return '';
  const inner = 'guards' in Object(guard) ? Object(guard).guards : null;
  if (!Array.isArray(inner)) return 'type' in Object(guard) ? String(Object(guard).type) : '';
  const parts = inner.map(guardText);
  return Object(guard).check?.name === 'checkNot' ? `not ${parts.join('')}` : parts.join(' and ');
}

function idOf(node: AnyStateNode): string {
  return node.path.length === 0 ? node.key : node.path.join('_');
}
