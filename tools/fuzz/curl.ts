import type { Wire } from './wire.ts';

/** Longer commands belong in a file. */
const PASTED_MAX = 4_000;

/** A request that a person can repeat. */
export interface Repeatable {
  /**
   * A line for a shell. `$URL` (without version segment and final slash) and `$KEY` stand for values that differ
   * elsewhere.
   */
  readonly line: string;
  /** The content of `request.bin` for the line; null: it needs no file. */
  readonly file: Buffer | null;
}

/** Uses curl where curl can send the request; otherwise sends the bytes with nc. */
export function repeatable(wire: Wire): Repeatable {
  return wire.isSound ? curlLine(wire) : ncLine(wire);
}

function curlLine({ method, target, headers, body }: Wire): Repeatable {
  const sent = headers
    .filter(([name]) => !/^(host|content-length|transfer-encoding)$/i.test(name))
    .map(([name, value]) => (value.trim() === '' ? [name, ';'] : [name, `: ${value.trim()}`]).join(''));
  const flags = sent.map(
    (header) => `-H ${header.startsWith('X-API-Key: tl_') ? '"X-API-Key: $KEY"' : quoted(header)}`,
  );
  const isChunked = headers.some(([name]) => name === 'Transfer-Encoding');
  if (isChunked) flags.push("-H 'Transfer-Encoding: chunked'");
  const isPasted = body === null || (body.length <= PASTED_MAX && !body.includes(0));
  const data = body === null ? [] : ['--data-binary', isPasted ? quoted(body.toString('latin1')) : '@request.bin'];
  const how = method === 'HEAD' ? ['-I'] : ['-X', method];
  const line = ['curl -sS -i --path-as-is -g', ...how, `"$URL"${quoted(target)}`, ...flags, ...data].join(' ');
  return { line, file: isPasted ? null : body };
}

function ncLine({ bytes }: Wire): Repeatable {
  const isPasted = bytes.length <= PASTED_MAX && !bytes.includes(0);
  if (isPasted) return { line: `printf %s ${quoted(bytes.toString('latin1'))} | nc -N "$HOST" "$PORT"`, file: null };
  return { line: 'nc -N "$HOST" "$PORT" < request.bin', file: bytes };
}

/** One shell argument with one byte per character. */
function quoted(bytes: string): string {
  if (/^[\x20-\x26\x28-\x7e]*$/.test(bytes)) return `'${bytes}'`;
  const inner = bytes.replaceAll(/[^\x20-\x26\x28-\x5b\x5d-\x7e]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `$'${inner}'`;
}
