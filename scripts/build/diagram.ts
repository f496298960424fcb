import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { deliveryMachine } from '../../machines/delivery.ts';
import { letterMachine } from '../../machines/letter.ts';
import { refundMachine } from '../../machines/refund.ts';
import { MACHINES } from '../../machines/versions.ts';
import { scriptWith } from '../lib/arguments.ts';
import { ScriptError } from '../lib/script.ts';
import { mermaidOf } from './diagram/mermaid.ts';

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
