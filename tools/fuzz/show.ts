import { markOf, type Terminal, table } from '../../scripts/lib/terminal.ts';
import type { Finding } from './client.ts';
import type { Wire } from './request.ts';
import type { Counts, FuzzOutcome } from './run.ts';

export function showOutcome({ findings, counts }: FuzzOutcome, seed: number, terminal: Terminal): void {
  const { bold, dim } = terminal.colors;
  terminal.line();
  for (const line of rowsOf(counts.table).trimEnd().split('\n')) terminal.line(`   ${line}`);
  terminal.line();
  for (const finding of findings) showFinding(finding, terminal);
  const { operationId, ms } = counts.slowest;
  const verdict = findings.length === 0 ? 'no violation' : `${findings.length} findings`;
  terminal.line(` ${markOf(findings.length === 0, terminal.colors)} ${bold(verdict)}`);
  const slowest = `the slowest ${(ms / 1_000).toFixed(1)} s (${operationId})`;
  terminal.line(dim(`   ${counts.requests} requests, ${slowest}, seed ${seed}`));
}

/** A row per operation, a column per status. */
function rowsOf(counts: Counts['table']): string {
  const statuses = [...new Set(Object.values(counts).flatMap(Object.keys))].toSorted();
  const headings = ['operation', ...statuses.map((status) => (status === '0' ? 'closed' : status))];
  const rows = Object.entries(counts)
    .toSorted()
    .map(([operation, row]) => [operation, ...statuses.map((status) => String(row[status] ?? ''))]);
  return table(headings, rows);
}

function showFinding({ client, faults, wire, exchange }: Finding, terminal: Terminal): void {
  const { red, dim } = terminal.colors;
  terminal.line(` ${red('✗')} ${client}${wire === null ? '' : `: ${wire.operationId}, ${wire.mode} key`}`);
  for (const { rule, what } of faults) terminal.line(`   «${rule}»: ${what}`);
  if (wire !== null) terminal.line(`   ${repeatable(wire)}`);
  const answer = exchange === null ? 'not' : `${exchange.status} ${exchange.body.toString('utf8', 0, 2_000)}`;
  if (wire !== null) terminal.line(dim(`   was answered: ${answer}`));
  terminal.line();
}

/**
 * A line for a shell that repeats a request: with curl where curl can send it, otherwise with nc. `$URL` (without
 * version segment and final slash), `$KEY`, `$HOST` and `$PORT` stand for values that differ elsewhere.
 */
export function repeatable({ isSound, method, target, headers, body, bytes }: Wire): string {
  if (!isSound) return `${printed(bytes)} | nc -N "$HOST" "$PORT"`;
  const flags = headers
    .filter(([name]) => !/^(host|content-length)$/i.test(name))
    .map(([name, value]) => (value.trim() === '' ? `${name};` : `${name}: ${value.trim()}`))
    .map((header) => `-H ${header.startsWith('X-API-Key: tl_') ? '"X-API-Key: $KEY"' : quoted(header)}`);
  const how = method === 'HEAD' ? '-I' : `-X ${method}`;
  const curl = ['curl -sS -i --path-as-is -g', how, `"$URL"${quoted(target)}`, ...flags].join(' ');
  return body === null ? curl : `${printed(body)} | ${curl} --data-binary @-`;
}

function printed(bytes: Buffer): string {
  return `printf '${escaped(bytes.toString('latin1')).replaceAll('%', '%%')}'`;
}

/** One shell argument with one byte per character. */
function quoted(bytes: string): string {
  const inner = escaped(bytes);
  return inner === bytes ? `'${bytes}'` : `$'${inner}'`;
}

function escaped(bytes: string): string {
  return bytes.replaceAll(
    /[^\x20-\x26\x28-\x5b\x5d-\x7e]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}
