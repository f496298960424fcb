import { address, bytes, count, list, word } from './words.ts';

/** Multicall3 (github.com/mds1/multicall3). It has the same address on every chain that has it. */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

export interface ViewCall {
  readonly to: string;
  readonly data: string;
}

/** The answer to one call, as hex; null: the call reverted. */
export type ViewResult = string | null;

const AGGREGATE3 = '0x82ad56cb';
const WORD = 32;

/** Call data of `aggregate3`. A call may fail without failing the others. */
export function encodeAggregate3(calls: readonly ViewCall[]): string {
  return (
    AGGREGATE3 + count(32) + list(calls.map(({ to, data }) => address(to) + word(1n) + count(3 * 32) + bytes(data)))
  );
}

/**
 * The results of `aggregate3`, read directly from the hexadecimal text: ethers takes ten times longer.
 * @throws Error if it is not the answer to `count` calls
 */
export function decodeAggregate3(result: string, count: number): ViewResult[] {
  const list = readInt(result, 0);
  if (readInt(result, list) !== count) throw new Error(`Multicall3 did not answer with ${count} results`);
  const base = list + WORD;
  return Array.from({ length: count }, (_, index) => {
    const item = base + readInt(result, base + index * WORD);
    const data = item + readInt(result, item + WORD);
    const end = data + WORD + readInt(result, data);
    if (digitAt(end) > result.length) throw new Error('Multicall3 answered with less data than it declares');
    return readInt(result, item) === 1 ? `0x${result.slice(digitAt(data + WORD), digitAt(end)).toLowerCase()}` : null;
  });
}

/** A word that must be a small number. Throws an Error beyond the end. */
function readInt(result: string, at: number): number {
  const digits = result.slice(digitAt(at), digitAt(at + WORD));
  if (!/^0{56}[0-9a-f]{8}$/i.test(digits)) throw new Error('Multicall3 answered with an impossible number');
  return Number.parseInt(digits.slice(-8), 16);
}

/** The index of a byte in the text. */
function digitAt(byte: number): number {
  return 2 + byte * 2;
}
