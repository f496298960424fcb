import { unknownCase } from '../../machines/unknown-case.ts';
import type { Framing } from './tricks.ts';

/** A body with the headers that say where it ends. */
export interface Framed {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bytes: Buffer;
  /** The client sends nothing after it. */
  readonly isLast: boolean;
  /** True if HTTP allows these headers for this body. */
  readonly isSound: boolean;
}

/** The bytes after the head, and the headers for them. */
export function framedBody(framing: Framing, body: Buffer | null): Framed {
  const bytes = body ?? Buffer.alloc(0);
  const length = (value: string): [string, string] => ['Content-Length', value];
  const own = length(String(bytes.length));
  const chunked: [string, string] = ['Transfer-Encoding', 'chunked'];
  const sound = { bytes, isLast: false, isSound: true };
  const unsound = { bytes, isLast: true, isSound: false };
  switch (framing.kind) {
    case 'length':
    case 'http/1.0':
    case 'no host':
      return { ...sound, headers: body === null ? [] : [own] };
    case 'chunked':
      return { ...sound, headers: [chunked], bytes: chunks(bytes, framing.size) };
    case 'bad chunk':
      return { ...unsound, headers: [chunked], bytes: Buffer.from('zz\r\n{}\r\n0\r\n\r\n') };
    case 'cut chunk':
      return { ...unsound, headers: [chunked], bytes: chunks(bytes, 4_096).subarray(0, -5) };
    case 'cut body':
      return { ...unsound, headers: [length(String(bytes.length + 10))] };
    case 'short length':
      return { ...unsound, headers: [length(String(Math.floor(bytes.length / 2)))] };
    case 'length and chunked':
      return { ...unsound, headers: [own, chunked], bytes: chunks(bytes, 4_096) };
    case 'two lengths':
      return { ...unsound, headers: [own, length(String(bytes.length + 1))] };
    case 'no length':
      return { ...unsound, headers: [] };
    case 'bad length':
      return { ...unsound, headers: [length(framing.text)] };
    default:
      return unknownCase(framing, 'framing');
  }
}

function chunks(bytes: Buffer, size: number): Buffer {
  // Hundreds of chunks show the same as thousands of chunks of one byte.
  const each = Math.max(size, Math.ceil(bytes.length / 500));
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += each) {
    const part = bytes.subarray(start, start + each);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
