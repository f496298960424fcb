import type { Interface } from 'ethers';
import type { Mandate, MandateCharge } from '../../../src/chains/evm/contracts/mandates.ts';
import type { RouterCharge } from '../../../src/chains/evm/contracts/router.ts';
import { Revert } from './revert.ts';

const DIGITS = 64;

/**
 * Reads the words of Solidity's ABI out of call data. Missing or invalid words revert without data, as the compiler's own
 * checks do.
 */
export class CallData {
  readonly #hex: string;

  /** @param data 0x-hex; the first four bytes name the function */
  constructor(data: string) {
    this.#hex = data.slice(10);
  }

  /** The number at this byte position. */
  number(at: number): bigint {
    return BigInt(`0x${this.#word(at)}`);
  }

  /** Lower case. */
  bytes32(at: number): string {
    return `0x${this.#word(at)}`;
  }

  /** Lower case. */
  address(at: number): string {
    const word = this.#word(at);
    if (!word.startsWith('0'.repeat(24))) throw new Revert();
    return `0x${word.slice(24)}`;
  }

  boolean(at: number): boolean {
    const value = this.number(at);
    if (value > 1n) throw new Revert();
    return value === 1n;
  }

  /** A number of at most 48 bits. */
  uint(at: number, bits: number): number {
    const value = this.number(at);
    if (value >> BigInt(bits) !== 0n) throw new Revert();
    return Number(value);
  }

  /** A length or a position. */
  count(at: number): number {
    return this.uint(at, 32);
  }

  /** The bytes at `at`, which follow their length; 0x-hex. */
  bytes(at: number): string {
    const length = this.count(at);
    const from = (at + 32) * 2;
    if (from + length * 2 > this.#hex.length) throw new Revert();
    return `0x${this.#hex.slice(from, from + length * 2)}`;
  }

  /** The list at `at`; its items have one word each. */
  words<T>(at: number, read: (at: number) => T): T[] {
    const length = this.count(at);
    return Array.from({ length }, (_, index) => read(at + 32 + index * 32));
  }

  /** The list at `at`; its words are the positions of the items. */
  list<T>(at: number, read: (at: number) => T): T[] {
    return this.words(at, (place) => read(at + 32 + this.count(place)));
  }

  #word(at: number): string {
    const word = this.#hex.slice(at * 2, at * 2 + DIGITS);
    if (word.length < DIGITS) throw new Revert();
    return word;
  }
}

/** One charge; addresses in lower case. */
export function readCharge(data: CallData, at: number): RouterCharge {
  return {
    key: data.bytes32(at),
    merchant: data.bytes32(at + 32),
    token: data.address(at + 64),
    from: data.address(at + 96),
    gross: data.number(at + 128),
    to: data.words(at + data.count(at + 160), (place) => data.address(place)),
    amounts: data.words(at + data.count(at + 192), (place) => data.number(place)),
  };
}

/** What a payer signs; addresses in lower case. */
export function readMandate(data: CallData, at: number): Mandate {
  return {
    payer: data.address(at),
    merchant: data.bytes32(at + 32),
    token: data.address(at + 64),
    perCharge: data.number(at + 96),
    charges: data.uint(at + 128, 32),
    interval: data.uint(at + 160, 32),
    start: data.uint(at + 192, 40),
    end: data.uint(at + 224, 40),
    issuedAt: data.uint(at + 256, 40),
    platform: data.address(at + 288),
    feeBps: data.uint(at + 320, 16),
    payees: data.words(at + data.count(at + 352), (place) => data.address(place)),
    agreement: data.bytes32(at + 384),
    terms: data.bytes32(at + 416),
  };
}

/** One charge under a mandate; addresses in lower case. */
export function readMandateCharge(data: CallData, at: number): MandateCharge {
  return {
    mandate: readMandate(data, at + data.count(at)),
    signature: data.bytes(at + data.count(at + 32)),
    cycle: data.uint(at + 64, 24),
    to: data.words(at + data.count(at + 96), (place) => data.address(place)),
    amounts: data.words(at + data.count(at + 128), (place) => data.number(place)),
  };
}

/** The names of a contract's functions by selector, the four bytes that name them in call data. */
export function namesOf(abi: Interface): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  abi.forEachFunction(({ selector, name }) => names.set(selector, name));
  return names;
}
