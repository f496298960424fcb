import { keccak256, TypedDataEncoder } from 'ethers';
import {
  type Mandate,
  type MandateCharge,
  mandateHash,
  mandateTypedData,
} from '../../../src/chains/evm/contracts/mandates.ts';
import { bytes32, word } from '../../../src/chains/evm/words.ts';
import { emit } from './events.ts';
import type { Run } from './machine.ts';
import { panic, routerError } from './revert.ts';
import { signerOf } from './signatures.ts';

/** How early a charge may be at most, seconds: it may be ahead of the rhythm by this or by one interval. */
export const MOST_AHEAD = 8n * 86_400n;
/** The `issuedAt` of an agreement that its payer has revoked. */
const REVOKED = 2n ** 40n - 1n;
/** How many cycles back, the last one included, an agreement knows which ones are charged. */
const WINDOW = 32n;
/** The approximate gas of a mandate's first use: the signature, and the new slot. */
const FIRST_USE_GAS = 26_000;
const OVERFLOW = 0x11n;

/** Names the slot of an agreement; addresses in lower case. */
export interface AgreementPlace {
  readonly payer: string;
  readonly merchant: string;
  readonly agreement: string;
}

/** The slot of an agreement. */
interface Agreement {
  /** The first 96 bits of the hash of the mandate in force. */
  readonly tag: bigint;
  readonly issuedAt: bigint;
  readonly due: bigint;
  readonly count: bigint;
  readonly last: bigint;
  /** Bit n: whether cycle `last - n` is charged. */
  readonly window: bigint;
}

export interface MandatesOptions {
  /** Lower case. */
  readonly router: string;
  readonly chainId: number;
  /** Whether charges under mandates may pay `payee` now, although the mandate does not name it. */
  readonly isAnnounced: (run: Run, merchant: string, payee: string) => boolean;
}

/** `Mandates.sol`, for payers with a key: a simulated chain has no wallets that are contracts. */
export class Mandates {
  readonly #self: string;
  readonly #chainId: number;
  readonly #isAnnounced: MandatesOptions['isAnnounced'];

  constructor({ router, chainId, isAnnounced }: MandatesOptions) {
    this.#self = router;
    this.#chainId = chainId;
    this.#isAnnounced = isAnnounced;
  }

  /** The hash that the payer signs. */
  hash(mandate: Mandate): string {
    return mandateHash(this.#chainId, this.#self, mandate);
  }

  revoke(run: Run, place: AgreementPlace): void {
    write(run, place, { ...agreementAt(run, place), tag: 0n, issuedAt: REVOKED });
    emit(run, this.#self, 'AgreementRevoked', place.payer, place.merchant, place.agreement);
  }

  /** Checks a charge against its mandate, and stores that it happens. */
  use(run: Run, charge: MandateCharge, key: string, gross: bigint): void {
    const { mandate, cycle } = charge;
    const now = BigInt(run.block.timestamp);
    checkTerms(mandate, gross, now);
    this.#checkPayees(run, charge, gross);
    const used = inRhythm(this.#inForce(run, charge), mandate, now);
    write(run, mandate, marked(used, BigInt(cycle), key));
  }

  #checkPayees(run: Run, { mandate, to, amounts }: MandateCharge, gross: bigint): void {
    let fee = 0n;
    for (const [index, payee] of to.entries()) {
      if (payee === mandate.platform) fee += amounts[index] ?? 0n;
      else if (!mandate.payees.includes(payee) && !this.#isAnnounced(run, mandate.merchant, payee))
        throw routerError('NotPayee', index, payee);
    }
    const [asked, allowed] = [fee * 10_000n, gross * BigInt(mandate.feeBps)];
    if (asked > MOST || allowed > MOST) throw panic(OVERFLOW);
    if (asked > allowed) throw routerError('AboveFee', fee, mandate.feeBps);
  }

  /** The agreement with this mandate in force. A mandate that is new to it needs its payer's signature. */
  #inForce(run: Run, { mandate, signature }: MandateCharge): Agreement {
    const { payer, merchant, agreement } = mandate;
    const known = agreementAt(run, mandate);
    const tag = tagOf(mandate);
    const issuedAt = BigInt(mandate.issuedAt);
    if (known.issuedAt === REVOKED) throw routerError('Revoked', payer, agreement);
    if (known.issuedAt !== 0n && known.issuedAt === issuedAt && known.tag === tag) return known;
    if (issuedAt <= known.issuedAt || issuedAt === REVOKED) throw routerError('Superseded', issuedAt, known.issuedAt);
    const digest = this.hash(mandate);
    if (signerOf(digest, signature)?.toLowerCase() !== payer) throw routerError('BadSignature', payer);
    emit(run, this.#self, 'MandateUsed', digest, payer, merchant, agreement);
    run.useGas(FIRST_USE_GAS);
    return { ...known, tag, issuedAt, due: BigInt(mandate.start), count: 0n };
  }
}

const MOST = 2n ** 256n - 1n;

/** The key of a cycle's charge. */
export function cycleKey(agreement: string, cycle: bigint): string {
  return keccak256(`0x${bytes32(agreement)}${word(cycle)}`);
}

export function agreementAt(run: Run, place: AgreementPlace): Agreement {
  const cell = run.get(agreementCell(place));
  const field = (at: bigint, bits: number): bigint => BigInt.asUintN(bits, cell >> at);
  return {
    tag: field(160n, 96),
    issuedAt: field(120n, 40),
    due: field(80n, 40),
    count: field(56n, 24),
    last: field(32n, 24),
    window: field(0n, 32),
  };
}

function write(run: Run, place: AgreementPlace, { tag, issuedAt, due, count, last, window }: Agreement): void {
  const times = (issuedAt << 120n) | (BigInt.asUintN(40, due) << 80n);
  run.set(agreementCell(place), (tag << 160n) | times | (count << 56n) | (last << 32n) | window);
}

function agreementCell({ payer, merchant, agreement }: AgreementPlace): string {
  return `router:agreement:${payer}:${merchant}:${agreement}`;
}

/** Whether a cycle counts as charged. */
export function isCycleSeen({ last, window }: Agreement, cycle: bigint): boolean {
  if (cycle > last) return false;
  return last - cycle >= WINDOW || isSet(window, last - cycle);
}

function isSet(window: bigint, bit: bigint): boolean {
  return ((window >> bit) & 1n) === 1n;
}

function tagOf(mandate: Mandate): bigint {
  const { types, message } = mandateTypedData(0, NOBODY, mandate);
  return BigInt(TypedDataEncoder.hashStruct('Mandate', types, message)) >> 160n;
}

const NOBODY = `0x${'0'.repeat(40)}`;

function checkTerms({ perCharge, start, end }: Mandate, gross: bigint, now: bigint): void {
  if (gross > perCharge) throw routerError('AbovePerCharge', gross, perCharge);
  if (now < BigInt(start)) throw routerError('TooEarly', start);
  if (end !== 0 && now > BigInt(end)) throw routerError('TooLate', end);
}

/** The agreement after one more charge at `now`. */
function inRhythm(known: Agreement, { charges, interval }: Mandate, now: bigint): Agreement {
  if (charges !== 0 && known.count >= BigInt(charges)) throw routerError('UsedUp', charges);
  const step = BigInt(interval);
  const ahead = step < MOST_AHEAD ? step : MOST_AHEAD;
  if (now + ahead < known.due) throw routerError('AheadOfRhythm', known.due - ahead);
  return { ...known, due: (known.due > now ? known.due : now) + step, count: known.count + 1n };
}

/** The agreement after `cycle` is charged. */
function marked(known: Agreement, cycle: bigint, key: string): Agreement {
  const { last, window } = known;
  if (cycle === 0n) throw routerError('CycleOutOfRange', cycle, last);
  if (cycle > last) {
    if (last !== 0n && cycle - last >= WINDOW) throw routerError('CycleOutOfRange', cycle, last);
    return { ...known, last: cycle, window: last === 0n ? 1n : BigInt.asUintN(32, window << (cycle - last)) | 1n };
  }
  const back = last - cycle;
  if (back >= WINDOW) throw routerError('CycleOutOfRange', cycle, last);
  if (isSet(window, back)) throw routerError('Seen', key);
  return { ...known, window: window | (1n << back) };
}
