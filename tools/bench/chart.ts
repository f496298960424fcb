/** A compared figure with its target, read from a table of the page. */
interface Goal {
  readonly bench: string;
  readonly what: string;
  readonly ratio: number;
  readonly target: string;
  /** How far the goal is reached: 1 at the goal, more beyond it. */
  readonly reached: number;
}

const GOAL_WIDTH = 20;
const FULL_WIDTH = 2 * GOAL_WIDTH;

/**
 * A text chart of all ratios that have a target, beside their goals: a bar that crosses the line reaches its goal.
 * `sections` are the parts of the page, by the name of their benchmark. Empty if no row has a ratio and a target.
 */
export function chartOf(sections: ReadonlyMap<string, string>): string {
  const goals = [...sections].flatMap(([bench, text]) => goalsOf(bench, text));
  if (goals.length === 0) return '';
  const name = Math.max(...goals.map(({ bench }) => bench.length));
  const what = Math.max(...goals.map((goal) => goal.what.length));
  const lines = goals.map(
    (goal) =>
      `${goal.bench.padEnd(name)}  ${goal.what.padEnd(what)}  ${goal.ratio.toFixed(2).padStart(5)}  ` +
      `${goal.target.padEnd(7)} ${barOf(goal.reached)}`.trimEnd(),
  );
  return [
    '```text',
    `${' '.repeat(name + what + 4)}ratio  target  ${' '.repeat(GOAL_WIDTH)}goal`,
    ...lines,
    '```',
  ].join('\n');
}

function barOf(reached: number): string {
  const length = Math.min(FULL_WIDTH, Math.floor(reached * GOAL_WIDTH));
  const below = '█'.repeat(Math.min(length, GOAL_WIDTH)).padEnd(GOAL_WIDTH);
  return `${below}│${'█'.repeat(Math.max(0, length - GOAL_WIDTH))}`;
}

function goalsOf(bench: string, text: string): Goal[] {
  return text.split('\n').flatMap((line) => {
    const [, what = '', , , , ratio = '', , target = ''] = line.split('|').map((cell) => cell.trim());
    const [, bound, figure] = /^([≥≤]) ([\d.]+)$/.exec(target) ?? [];
    if (figure === undefined || !/^[\d.]+$/.test(ratio)) return [];
    const reached = bound === '≥' ? Number(ratio) / Number(figure) : Number(figure) / Number(ratio);
    return [{ bench, what, ratio: Number(ratio), target, reached }];
  });
}
