import { keccak256, TypedDataEncoder } from 'ethers';
import { unknownCase } from '../../../machines/unknown-case.ts';
import {
  type Mandate,
  type MandateCharge,
  mandateHash,
  mandateTypedData,
} from '../../../src/chains/evm/contracts/mandates.ts';
import { bytes32, word } from '../../../src/chains/evm/words.ts';
import { type AgreementState, type MandateVerdict, REVOKED, underMandate } from '../../../src/chains/mandate-rules.ts';
import { emit } from './events.ts';
import type { Run } from './machine.ts';
import { panic, type Revert, routerError } from './revert.ts';
import { signerOf } from './signatures.ts';

/** The approximate gas of a mandate's first use: the signature, and the new slot. */
const FIRST_USE_GAS = 26_000;
const OVERFLOW = 0x11n;

/** Names the slot of an agreement; addresses in lower case. */
export interface AgreementPlace {
  readonly payer: string;
  readonly merchant: string;
  readonly agreement: string;
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
  use(run: Run, { mandate, signature, cycle, to, amounts }: MandateCharge, key: string, gross: bigint): void {
    const { payer, merchant, agreement, platform, feeBps } = mandate;
    const digest = this.hash(mandate);
    const shares = to.map((recipient, index) => ({ to: recipient, amount: amounts[index] ?? 0n }));
    const verdict = underMandate(agreementAt(run, mandate), {
      mandate,
      tag: tagOf(mandate),
      cycle: BigInt(cycle),
      shares,
      now: BigInt(run.block.timestamp),
      isAnnounced: (payee) => this.#isAnnounced(run, merchant, payee),
      isSigned: () => signerOf(digest, signature)?.toLowerCase() === payer,
    });
    const fee = shares.reduce((sum, share) => (share.to === platform ? sum + share.amount : sum), 0n);
    const isTooMuch = fee * 10_000n > MOST || gross * BigInt(feeBps) > MOST;
    if (isTooMuch && !BEFORE_THE_FEE.has(verdict.kind)) throw panic(OVERFLOW);
    if (verdict.kind !== 'kept') throw errorOf(verdict, key);
    if (verdict.isFirstUse) {
      emit(run, this.#self, 'MandateUsed', digest, payer, merchant, agreement);
      run.useGas(FIRST_USE_GAS);
    }
    write(run, mandate, verdict.state);
  }
}

/** The rules that the contract checks before it computes the greatest fee. */
const BEFORE_THE_FEE: ReadonlySet<string> = new Set(['above_per_charge', 'too_early', 'too_late', 'not_payee']);

function errorOf(broken: Exclude<MandateVerdict, { readonly kind: 'kept' }>, key: string): Revert {
  switch (broken.kind) {
    case 'seen':
      return routerError('Seen', key);
    case 'bad_signature':
      return routerError('BadSignature', broken.payer);
    case 'revoked':
      return routerError('Revoked', broken.payer, broken.agreement);
    case 'superseded':
      return routerError('Superseded', broken.issuedAt, broken.inForce);
    case 'too_early':
      return routerError('TooEarly', broken.start);
    case 'too_late':
      return routerError('TooLate', broken.end);
    case 'ahead_of_rhythm':
      return routerError('AheadOfRhythm', broken.from);
    case 'used_up':
      return routerError('UsedUp', broken.charges);
    case 'above_per_charge':
      return routerError('AbovePerCharge', broken.gross, broken.perCharge);
    case 'above_fee':
      return routerError('AboveFee', broken.fee, broken.feeBps);
    case 'not_payee':
      return routerError('NotPayee', broken.index, broken.recipient);
    case 'cycle_out_of_range':
      return routerError('CycleOutOfRange', broken.cycle, broken.last);
    default:
      return unknownCase(broken, 'rule');
  }
}

const MOST = 2n ** 256n - 1n;

/** The key of a cycle's charge. */
export function cycleKey(agreement: string, cycle: bigint): string {
  return keccak256(`0x${bytes32(agreement)}${word(cycle)}`);
}

export function agreementAt(run: Run, place: AgreementPlace): AgreementState {
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

function write(run: Run, place: AgreementPlace, { tag, issuedAt, due, count, last, window }: AgreementState): void {
  const times = (issuedAt << 120n) | (BigInt.asUintN(40, due) << 80n);
  run.set(agreementCell(place), (tag << 160n) | times | (count << 56n) | (last << 32n) | window);
}

function agreementCell({ payer, merchant, agreement }: AgreementPlace): string {
  return `router:agreement:${payer}:${merchant}:${agreement}`;
}

function tagOf(mandate: Mandate): bigint {
  const { types, message } = mandateTypedData(0, NOBODY, mandate);
  return BigInt(TypedDataEncoder.hashStruct('Mandate', types, message)) >> 160n;
}

const NOBODY = `0x${'0'.repeat(40)}`;
