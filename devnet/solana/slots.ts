import { createHash } from 'node:crypto';
import { toBase58 } from '../../src/chains/solana/keys.ts';

/** How many slots a commitment is behind the present. */
export const COMMITMENT_LAG = { processed: 0, confirmed: 1, finalized: 32 } as const;
export type Commitment = keyof typeof COMMITMENT_LAG;

/** How many blocks a blockhash stays valid for signing. */
export const BLOCKHASH_BLOCKS = 150;

/**
 * The slot and the height of the first block. They differ a lot, as on every real chain, where some slots have no
 * block, so that code that confuses them fails. The slot is not below the one from which litesvm's programs exist.
 */
const FIRST_SLOT = 447_552_000;
const FIRST_HEIGHT = 1_000;

/** The origin of a chain's slots and blockhashes. It never changes in the life of a chain. */
export interface SlotOrigin {
  /** Hex; random, so that no two chains share a blockhash. */
  readonly seed: string;
  /** The time of slot 0 of this chain, milliseconds of Unix time. */
  readonly startedAt: number;
  readonly slotMs: number;
}

/**
 * Slots follow the clock, even while nothing runs: after a restart, time has passed, and older signatures have aged.
 * Every slot has one block whose hash follows from the seed, so nothing of this is stored.
 */
export class Slots {
  readonly #origin: SlotOrigin;
  readonly #now: () => number;
  #skipped: number;
  #count = 0;
  /** The heights of blockhashes that are still valid, computed on demand. */
  readonly #heights = new Map<string, number>();
  #hashedTo = FIRST_HEIGHT - 1;

  constructor(origin: SlotOrigin, skipped: number, now: () => number) {
    this.#origin = origin;
    this.#skipped = skipped;
    this.#now = now;
  }

  /** The slot of a commitment; `processed` is the current one. It never goes back, even if the clock does. */
  slot(commitment: Commitment = 'processed'): number {
    const { startedAt, slotMs } = this.#origin;
    this.#count = Math.max(this.#count, Math.floor((this.#now() - startedAt) / slotMs) + this.#skipped, 0);
    return FIRST_SLOT + Math.max(0, this.#count - COMMITMENT_LAG[commitment]);
  }

  height(commitment: Commitment = 'processed'): number {
    return heightOf(this.slot(commitment));
  }

  skip(slots: number): void {
    this.#skipped += slots;
  }

  /** Raises the slot to one that was seen before. */
  atLeast(slot: number): void {
    this.#count = Math.max(this.#count, slot - FIRST_SLOT);
  }

  /** The approximate time of a slot, milliseconds of Unix time. */
  timeOf(slot: number): number {
    const { startedAt, slotMs } = this.#origin;
    return Math.min(this.#now(), startedAt + (slot - FIRST_SLOT - this.#skipped) * slotMs);
  }

  /** The hash of the block of a slot, base58. */
  blockhash(slot: number): string {
    return this.#hash(heightOf(slot));
  }

  /** True if the block of this slot can contain a transaction with this blockhash. */
  isRecent(blockhash: string, slot: number): boolean {
    const height = heightOf(slot);
    for (let at = Math.max(this.#hashedTo + 1, height - BLOCKHASH_BLOCKS); at <= height; at += 1) {
      this.#heights.set(this.#hash(at), at);
      this.#hashedTo = at;
    }
    const found = this.#heights.get(blockhash);
    if (this.#heights.size > 4 * BLOCKHASH_BLOCKS) this.#forget(height - BLOCKHASH_BLOCKS);
    return found !== undefined && found <= height && height - found <= BLOCKHASH_BLOCKS;
  }

  #forget(below: number): void {
    for (const [hash, height] of this.#heights) if (height < below) this.#heights.delete(hash);
  }

  #hash(height: number): string {
    return toBase58(createHash('sha256').update(`${this.#origin.seed}:${height}`).digest());
  }
}

export function firstSlot(): number {
  return FIRST_SLOT;
}

export function heightOf(slot: number): number {
  return slot - FIRST_SLOT + FIRST_HEIGHT;
}
