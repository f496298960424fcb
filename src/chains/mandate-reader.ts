import { keccak256 } from 'ethers';
import type { ChargeDoc, SignedMandate } from '../store/collections.ts';
import type { RecordStore } from '../store/port.ts';

export type MandatesById = ReadonlyMap<string, SignedMandate>;

/** The most mandates that one process remembers: less than 20 MB. */
const REMEMBERED_MAX = 10_000;

/** Reads mandates. What a payer has signed never changes, so it is remembered; its end can change. */
export class MandateReader {
  readonly #records: Pick<RecordStore, 'get'>;
  readonly #known = new Map<string, SignedMandate>();

  constructor(records: Pick<RecordStore, 'get'>) {
    this.#records = records;
  }

  /** The mandates that these charges name. One that is not stored is missing. */
  ofCharges(charges: readonly Pick<ChargeDoc, 'mandate'>[]): Promise<MandatesById> {
    return this.get(charges.flatMap(({ mandate }) => mandate?.id ?? []));
  }

  /** The mandates with these ids. One that is not stored is missing. */
  async get(ids: readonly string[]): Promise<MandatesById> {
    const wanted = [...new Set(ids)];
    const found = new Map(wanted.flatMap((id) => entry(this.#known.get(id))));
    const missing = wanted.filter((id) => !found.has(id));
    if (missing.length === 0) return found;
    const read = await this.#records.get('mandates', missing);
    if (this.#known.size + read.length > REMEMBERED_MAX) this.#known.clear();
    for (const mandate of read) {
      this.#known.set(mandate._id, mandate);
      found.set(mandate._id, mandate);
    }
    return found;
  }
}

function entry(mandate: SignedMandate | undefined): [string, SignedMandate][] {
  return mandate === undefined ? [] : [[mandate._id, mandate]];
}

/** The mandate of a charge. Null: the charge names none, or one that is not stored. */
export function mandateOf({ mandate }: Pick<ChargeDoc, 'mandate'>, mandates: MandatesById): SignedMandate | null {
  return (mandate && mandates.get(mandate.id)) ?? null;
}

/**
 * Why a charge cannot be made under the mandate that it names, as words that follow the charge's id. Null: nothing
 * speaks against it, or it names no mandate. The router would take payer, token and merchant from the mandate: a charge
 * that differs would be another charge.
 */
export function mandateFault(charge: ChargeDoc, mandates: MandatesById): string | null {
  if (charge.mandate === undefined) return null;
  const { id, cycle } = charge.mandate;
  const mandate = mandateOf(charge, mandates);
  if (mandate === null) return `names mandate ${id}, which is not stored`;
  if (!isFor(charge, mandate)) return `names mandate ${id}, which is for another payer, merchant, token or chain`;
  if (charge.key !== mandateKey(mandate.agreement, cycle)) return `does not have the key of cycle ${cycle}`;
  const sum = charge.shares.reduce((total, { amount }) => total + BigInt(amount), 0n);
  return sum === BigInt(charge.gross) ? null : 'has shares that do not add up to its amount';
}

function isFor(charge: ChargeDoc, mandate: SignedMandate): boolean {
  const { merchantId, mode, chainId, token, from, deposit } = charge;
  const isSameMerchant = mandate.merchantId === merchantId && mandate.mode === mode && mandate.chainId === chainId;
  const isSamePull = isSame(mandate.token, token) && isSame(mandate.payer, from) && deposit === undefined;
  return isSameMerchant && isSamePull;
}

export function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** The key of the charge of a cycle under a mandate. `agreement`: 32 bytes in hex. */
export function mandateKey(agreement: string, cycle: number): string {
  if (!Number.isSafeInteger(cycle) || cycle < 1) throw new RangeError(`cycle ${cycle}: expected an integer from 1`);
  return keccak256(`${agreement}${cycle.toString(16).padStart(64, '0')}`);
}
