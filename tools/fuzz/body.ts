import { gzipSync } from 'node:zlib';
import { unknownCase } from '../../machines/unknown-case.ts';
import type { BodyTrick } from './tricks.ts';

/** The bytes of a body. `json` null: no body was drawn. Returns null to send none. */
export function trickedBody(trick: BodyTrick, json: string | null): Buffer | null {
  const text = json ?? '';
  const bytes = Buffer.from(text, 'utf8');
  switch (trick.kind) {
    case 'none':
      return json === null ? null : bytes;
    case 'cut':
      return bytes.subarray(0, Math.floor(bytes.length / 2));
    case 'garbage':
      return Buffer.concat([bytes, Buffer.from('}garbage')]);
    case 'bom':
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case 'utf-16':
      return Buffer.from(text, 'utf16le');
    case 'invalid utf-8':
      return Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"}')]);
    case 'overlong':
      return Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf, 0xed, 0xa0, 0x80]), Buffer.from('"}')]);
    case 'gzip':
      return gzipSync(bytes);
    case 'twice':
      return Buffer.concat([bytes, bytes]);
    case 'spaces':
      return Buffer.concat([Buffer.from('\r\n\t '), bytes, Buffer.from(' \n')]);
    case 'instead':
      return Buffer.from(trick.text, 'utf8');
    case 'nested':
      return Buffer.from(`${'['.repeat(trick.levels)}${trick.isClosed ? ']'.repeat(trick.levels) : ''}`);
    case 'padded':
      return Buffer.concat([bytes, Buffer.alloc(Math.max(0, trick.bytes - bytes.length), ' ')]);
    default:
      return unknownCase(trick, 'trick');
  }
}
