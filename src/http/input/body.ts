import type { IncomingMessage } from 'node:http';
import { invalid } from '../../errors/fault.ts';

/** A longer body is a 400 (docs/rules.md, "Errors"). */
export const BODY_BYTES_MAX = 64 * 1024;
/** The depth of objects and arrays; the body itself is the first level. */
export const BODY_DEPTH_MAX = 20;

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The body of a request as JSON, whatever its Content-Type is; an empty body is `{}`. Throws 400 if it is not JSON in
 * UTF-8, longer than `bytesMax`, deeper than 20 levels, or has a prototype's key or values that cannot be kept as sent.
 */
export async function readBody(request: IncomingMessage, bytesMax = BODY_BYTES_MAX): Promise<unknown> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw invalid('body must not be compressed: Content-Encoding is not supported');
  }
  const bytes = await readBytes(request, bytesMax);
  return bytes.length === 0 ? {} : parseBody(bytes);
}

function parseBody(bytes: Buffer): unknown {
  const text = textOf(bytes);
  const value = parseJson(text);
  checkValue(value, 1);
  if (!hasExactNumbers(text)) throw invalid('body has a number with more digits than are kept; send it as a string');
  return value;
}

/** Refuses a key that could reach a prototype, in a query string and in a body. */
export function checkKey(key: string): void {
  if (FORBIDDEN_KEYS.has(key)) throw invalid(`"${key}" must not be used as a key`);
  if (key.includes('\0')) throw invalid('body must not have a key with a NUL character');
  if (!key.isWellFormed()) throw invalid('body must be valid Unicode: a key has half a surrogate pair');
}

function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (): void => {
      request.off('data', take).off('end', end).off('error', fail).off('close', fail);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= bytesMax) return;
      stop();
      // The rest is read and dropped, so that the answer can be delivered.
      request.resume();
      reject(tooLarge(bytesMax));
    };
    const end = (): void => {
      stop();
      resolve(Buffer.concat(chunks, size));
    };
    const fail = (): void => {
      stop();
      reject(invalid('body ended before it was complete'));
    };
    request.on('data', take).on('end', end).on('error', fail).on('close', fail);
  });
}

function tooLarge(bytesMax: number): Error {
  return invalid(`body must be at most ${bytesMax} bytes long`);
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notJson();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

function notJson(): Error {
  return invalid('body must be JSON in UTF-8');
}

function checkValue(value: unknown, depth: number): void {
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw invalid('body must be valid Unicode: a string has half a surrogate pair');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw invalid('body has a number that is too large');
  if (typeof value !== 'object' || value === null) return;
  if (depth > BODY_DEPTH_MAX) throw invalid(`body must not be nested deeper than ${BODY_DEPTH_MAX} levels`);
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) checkKey(key);
    checkValue(inner, depth + 1);
  }
}

/** The strings and numbers of a JSON text. Strings are matched too, because digits in them are text. */
const STRINGS_AND_NUMBERS = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g;

/** A number with this many characters and no exponent is always exact. */
const ALWAYS_KEPT = 15;

/** True if every number of a JSON text keeps its value when parsed. */
function hasExactNumbers(json: string): boolean {
  for (const [token] of json.matchAll(STRINGS_AND_NUMBERS)) {
    if (!token.startsWith('"') && !isExact(token)) return false;
  }
  return true;
}

function isExact(number: string): boolean {
  if (number.length <= ALWAYS_KEPT && !/e/i.test(number)) return true;
  return canonical(number) === canonical(String(Number(number)));
}

/** The same text for every spelling of one number: its significant digits, and the power of ten of the last one. */
function canonical(number: string): string {
  const [mantissa = '', exponent = '0'] = number.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const significant = digits.slice(0, end).replace(/^0+/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - end}`;
}
