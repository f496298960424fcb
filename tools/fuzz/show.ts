import { type Terminal, table } from '../../scripts/lib/terminal.ts';
import type { Finding } from './batch.ts';
import { repeatable } from './curl.ts';
import { faultText } from './fault.ts';
import type { FuzzOutcome } from './run.ts';

/** Shows the counts and the findings. `fileOf` stores bytes that are too long to paste, and returns the path. */
export function showOutcome(
  { seed, findings, statistics }: FuzzOutcome,
  terminal: Terminal,
  fileOf: (bytes: Buffer) => string,
): void {
  const { green, red, bold, dim } = terminal.colors;
  terminal.line();
  for (const line of rowsOf(statistics.table()).trimEnd().split('\n')) terminal.line(`   ${line}`);
  terminal.line();
  for (const finding of findings) showFinding(finding, terminal, fileOf);
  const { operationId, ms } = statistics.slowest;
  const mark = findings.length === 0 ? green('✓') : red('✗');
  terminal.line(` ${mark} ${bold(findings.length === 0 ? 'no violation' : `${findings.length} findings`)}`);
  const speed = `${statistics.requests} requests, ${statistics.perSecond.toFixed(0)} a second`;
  terminal.line(dim(`   ${speed}, the slowest ${(ms / 1_000).toFixed(1)} s (${operationId}), seed ${seed}`));
}

/** A row per operation, a column per status. */
function rowsOf(counts: { readonly [operation: string]: { readonly [status: string]: number } }): string {
  const statuses = [...new Set(Object.values(counts).flatMap(Object.keys))].toSorted();
  const headings = ['operation', ...statuses.map((status) => (status === '0' ? 'closed' : status))];
  const rows = Object.keys(counts)
    .toSorted()
    .map((operation) => [operation, ...statuses.map((status) => String(counts[operation]?.[status] ?? ''))]);
  return table(headings, rows);
}

function showFinding(
  { client, faults, wire, answer, shrinks }: Finding,
  terminal: Terminal,
  fileOf: (bytes: Buffer) => string,
): void {
  const { red, dim } = terminal.colors;
  terminal.line(` ${red('✗')} ${client}${wire === null ? '' : `: ${wire.operationId}, ${wire.mode} key`}`);
  for (const each of faults) terminal.line(`   ${faultText(each)}`);
  if (wire === null) {
    terminal.line();
    return;
  }
  const { line, file } = repeatable(wire);
  terminal.line(`   ${line}`);
  if (file !== null) terminal.line(dim(`   request.bin is ${fileOf(file)}`));
  if (answer !== null) terminal.line(dim(`   was answered: ${answer}`));
  terminal.line(dim(`   made smaller ${shrinks} times`));
  terminal.line();
}
