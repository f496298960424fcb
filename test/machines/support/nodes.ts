import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** The innermost states of a machine, as `outer.inner`. */
export function leavesOf(machine: AnyStateMachine): string[] {
  return leavesUnder(machine.root).map((path) => path.join('.'));
}

function leavesUnder(node: AnyStateNode): string[][] {
  const inner = Object.values(node.states);
  if (inner.length === 0) return [node.path];
  return inner.flatMap((each) => leavesUnder(each));
}
