import { type AgreementState, NOTHING_CHARGED } from '../mandate-rules.ts';

/** The last charge of an agreement that the chain shows. */
export interface LastCharge {
  /** 0: none was made. */
  readonly number: number;
  readonly state: AgreementState;
  readonly txHash: string | null;
}

/** A charge whose transaction can land in a block of at most this height. */
interface SignedCharge {
  readonly number: number;
  readonly lastValidBlockHeight: number;
}

const NOTHING: LastCharge = { number: 0, state: NOTHING_CHARGED, txHash: null };

/** The most agreements that one process remembers: less than 10 MB. */
const REMEMBERED_MAX = 20_000;

/** What this process knows without a database: charges last seen, and those signed that can still land. */
export class Agreements {
  readonly #last = new Map<string, LastCharge>();
  readonly #signed = new Map<string, SignedCharge>();
  readonly #reserved = new Set<string>();

  /** Takes an agreement for one charge. False: this process is deciding on another charge of it. */
  reserve(name: string): boolean {
    if (this.#reserved.has(name)) return false;
    this.#reserved.add(name);
    return true;
  }

  release(names: readonly string[]): void {
    for (const name of names) this.#reserved.delete(name);
  }

  last(name: string): LastCharge {
    return this.#last.get(name) ?? NOTHING;
  }

  /** Notes the last charge as the chain shows it. */
  saw(name: string, last: LastCharge): void {
    if (this.#last.size >= REMEMBERED_MAX) this.#last.clear();
    this.#last.set(name, last);
  }

  /** Call it before the signed bytes are stored or sent. */
  hasSigned(name: string, signed: SignedCharge): void {
    this.#signed.set(name, signed);
  }

  get isAnySigned(): boolean {
    return this.#signed.size > 0;
  }

  /** Whether a signed charge can still land, when the chain shows `number` charges. */
  isInFlight(name: string, number: number): boolean {
    return (this.#signed.get(name)?.number ?? 0) > number;
  }

  /** Forgets the signed charges that have landed or never can, because a later height is finalized. */
  forgetUntil(finalizedHeight: number): void {
    for (const [name, { lastValidBlockHeight }] of this.#signed) {
      if (lastValidBlockHeight < finalizedHeight) this.#signed.delete(name);
    }
  }
}
