import type { Wire } from './request.ts';

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
