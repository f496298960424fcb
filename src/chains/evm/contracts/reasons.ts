import { AbiCoder, type ErrorDescription, getBytes, Interface, toUtf8String, Utf8ErrorFuncs } from 'ethers';
import { z } from 'zod';
import type { MandateReason } from '../../mandate-rules.ts';
import { routerInterface } from './router.ts';

/** Why a token refused, if its revert data (the router keeps at most 512 bytes) or its answer says so. Base units. */
export type TokenReason =
  | {
      readonly kind: 'insufficient_allowance';
      readonly spender: string;
      readonly allowance: bigint;
      readonly needed: bigint;
    }
  | {
      readonly kind: 'insufficient_balance';
      readonly account: string;
      readonly balance: bigint;
      readonly needed: bigint;
    }
  /** A revert with a text. Older tokens give one for every refusal. */
  | { readonly kind: 'message'; readonly message: string }
  /** A check that Solidity adds has failed. */
  | { readonly kind: 'panic'; readonly code: bigint }
  /** A permit whose deadline has passed; Unix seconds. */
  | { readonly kind: 'permit_expired'; readonly deadline: bigint }
  /** Somebody else signed the permit, or it was used already, or it is for something else. */
  | { readonly kind: 'permit_signer'; readonly signer: string; readonly owner: string }
  /** The token answered false instead of reverting. */
  | { readonly kind: 'returned_false' }
  /** The token used up all of its gas, far more than a transfer needs. Some old tokens refuse in this way. */
  | { readonly kind: 'out_of_gas'; readonly given: bigint }
  /** The token reverted without data. */
  | { readonly kind: 'silent' }
  /** An error that the token defines, as hex. */
  | { readonly kind: 'other'; readonly data: string };

/** Why the router made no charge, refund or permit: one kind for each of its errors. Amounts in base units. */
export type Reason =
  | { readonly kind: 'seen'; readonly key: string }
  | { readonly kind: 'pull_failed'; readonly inner: TokenReason }
  | { readonly kind: 'share_failed'; readonly index: number; readonly inner: TokenReason }
  | { readonly kind: 'balance_failed'; readonly inner: TokenReason }
  | { readonly kind: 'arrival_mismatch'; readonly arrived: bigint; readonly expected: bigint }
  | { readonly kind: 'residue'; readonly balance: bigint; readonly expected: bigint }
  | { readonly kind: 'out_of_gas'; readonly given: bigint }
  | { readonly kind: 'gas_too_low'; readonly available: bigint; readonly required: bigint }
  | { readonly kind: 'not_a_token'; readonly token: string }
  | { readonly kind: 'zero_gross'; readonly key: string }
  | { readonly kind: 'shares_uneven'; readonly recipients: bigint; readonly amounts: bigint }
  | { readonly kind: 'too_many_shares'; readonly attempted: bigint; readonly allowed: bigint }
  | { readonly kind: 'shares_mismatch'; readonly sum: bigint; readonly gross: bigint }
  | { readonly kind: 'bad_recipient'; readonly index: number; readonly recipient: string }
  | { readonly kind: 'refund_failed'; readonly inner: TokenReason }
  | { readonly kind: 'zero_refund'; readonly key: string }
  | { readonly kind: 'permit_failed'; readonly allowance: bigint; readonly value: bigint; readonly inner: TokenReason }
  | { readonly kind: 'not_sender'; readonly caller: string }
  | { readonly kind: 'not_owner'; readonly caller: string }
  | { readonly kind: 'not_self'; readonly caller: string }
  | { readonly kind: 'paused' }
  | { readonly kind: 'not_paused' }
  | { readonly kind: 'reentered' }
  | { readonly kind: 'owner_required' }
  | { readonly kind: 'bad_owner'; readonly owner: string }
  | { readonly kind: 'bad_sender'; readonly sender: string }
  | { readonly kind: 'gas_budget_too_low'; readonly base: bigint; readonly perShare: bigint }
  | { readonly kind: 'not_guardian'; readonly caller: string }
  | { readonly kind: 'bad_payee' | 'not_announced'; readonly payee: string }
  /** Under a mandate: the token did not move a share from the payer to its recipient. */
  | { readonly kind: 'share_pull_failed'; readonly index: number; readonly inner: TokenReason }
  | MandateReason
  /** No error of the router: no data (no gas, no contract), or an answer of something else. */
  | { readonly kind: 'unknown'; readonly data: string };

const text = z.string();
const int = z.bigint();
const index = z.bigint().transform(Number);
const inner = z.string().transform((data) => decodeTokenReason(data));

/** Makes a reason from the arguments of each error. The schemas check that the ABI has the expected types. */
const readers: Readonly<Record<string, (args: unknown) => Reason>> = {
  Seen: reader(z.object({ key: text }), (a) => ({ kind: 'seen', ...a })),
  PullFailed: reader(z.object({ reason: inner }), (a) => ({ kind: 'pull_failed', inner: a.reason })),
  ShareFailed: reader(z.object({ index, reason: inner }), (a) => ({
    kind: 'share_failed',
    index: a.index,
    inner: a.reason,
  })),
  BalanceFailed: reader(z.object({ reason: inner }), (a) => ({ kind: 'balance_failed', inner: a.reason })),
  ArrivalMismatch: reader(z.object({ arrived: int, expected: int }), (a) => ({ kind: 'arrival_mismatch', ...a })),
  Residue: reader(z.object({ balance: int, expected: int }), (a) => ({ kind: 'residue', ...a })),
  OutOfGas: reader(z.object({ given: int }), (a) => ({ kind: 'out_of_gas', ...a })),
  GasTooLow: reader(z.object({ available: int, required: int }), (a) => ({ kind: 'gas_too_low', ...a })),
  NotAToken: reader(z.object({ token: text }), (a) => ({ kind: 'not_a_token', ...a })),
  ZeroGross: reader(z.object({ key: text }), (a) => ({ kind: 'zero_gross', ...a })),
  SharesUneven: reader(z.object({ recipients: int, amounts: int }), (a) => ({ kind: 'shares_uneven', ...a })),
  TooManyShares: reader(z.object({ attempted: int, allowed: int }), (a) => ({ kind: 'too_many_shares', ...a })),
  SharesMismatch: reader(z.object({ sum: int, gross: int }), (a) => ({ kind: 'shares_mismatch', ...a })),
  BadRecipient: reader(z.object({ index, recipient: text }), (a) => ({ kind: 'bad_recipient', ...a })),
  RefundFailed: reader(z.object({ reason: inner }), (a) => ({ kind: 'refund_failed', inner: a.reason })),
  ZeroRefund: reader(z.object({ key: text }), (a) => ({ kind: 'zero_refund', ...a })),
  PermitFailed: reader(z.object({ allowance: int, value: int, reason: inner }), ({ reason, ...a }) => ({
    kind: 'permit_failed',
    ...a,
    inner: reason,
  })),
  NotSender: reader(z.object({ caller: text }), (a) => ({ kind: 'not_sender', ...a })),
  NotSelf: reader(z.object({ caller: text }), (a) => ({ kind: 'not_self', ...a })),
  OwnableUnauthorizedAccount: reader(z.object({ account: text }), (a) => ({ kind: 'not_owner', caller: a.account })),
  OwnableInvalidOwner: reader(z.object({ owner: text }), (a) => ({ kind: 'bad_owner', ...a })),
  OwnerRequired: reader(z.object({}), () => ({ kind: 'owner_required' })),
  BadSender: reader(z.object({ sender: text }), (a) => ({ kind: 'bad_sender', ...a })),
  GasBudgetTooLow: reader(z.object({ base: int, perShare: int }), (a) => ({ kind: 'gas_budget_too_low', ...a })),
  NotGuardian: reader(z.object({ caller: text }), (a) => ({ kind: 'not_guardian', ...a })),
  NotAnnounced: reader(z.object({ payee: text }), (a) => ({ kind: 'not_announced', ...a })),
  BadPayee: reader(z.object({ payee: text }), (a) => ({ kind: 'bad_payee', ...a })),
  SharePullFailed: reader(z.object({ index, reason: inner }), (a) => ({
    kind: 'share_pull_failed',
    index: a.index,
    inner: a.reason,
  })),
  BadSignature: reader(z.object({ payer: text }), (a) => ({ kind: 'bad_signature', ...a })),
  Revoked: reader(z.object({ payer: text, agreement: text }), (a) => ({ kind: 'revoked', ...a })),
  Superseded: reader(z.object({ issuedAt: int, inForce: int }), (a) => ({ kind: 'superseded', ...a })),
  TooEarly: reader(z.object({ start: int }), (a) => ({ kind: 'too_early', ...a })),
  TooLate: reader(z.object({ end: int }), (a) => ({ kind: 'too_late', ...a })),
  TwoRhythms: reader(z.object({ interval: int, months: int }), (a) => ({ kind: 'two_rhythms', ...a })),
  AheadOfRhythm: reader(z.object({ from: int }), (a) => ({ kind: 'ahead_of_rhythm', ...a })),
  UsedUp: reader(z.object({ charges: int }), (a) => ({ kind: 'used_up', ...a })),
  AbovePerCharge: reader(z.object({ gross: int, perCharge: int }), (a) => ({ kind: 'above_per_charge', ...a })),
  AboveFee: reader(z.object({ fee: int, feeBps: int }), (a) => ({ kind: 'above_fee', ...a })),
  NotPayee: reader(z.object({ index, recipient: text }), (a) => ({ kind: 'not_payee', ...a })),
  CycleOutOfRange: reader(z.object({ cycle: int, last: int }), (a) => ({ kind: 'cycle_out_of_range', ...a })),
  EnforcedPause: reader(z.object({}), () => ({ kind: 'paused' })),
  ExpectedPause: reader(z.object({}), () => ({ kind: 'not_paused' })),
  ReentrancyGuardReentrantCall: reader(z.object({}), () => ({ kind: 'reentered' })),
};

function reader<T>(schema: z.ZodType<T>, make: (args: T) => Reason): (args: unknown) => Reason {
  return (args) => make(schema.parse(args));
}

/**
 * Reads revert data of the router: from a call that reverted, a `Refused` event, or an entry of `decodeChargeMany`.
 * Never throws: an unknown error is `unknown`, with the data.
 */
export function decodeReason(data: string): Reason {
  const error = parseError(routerInterface, data);
  const read = error === null ? undefined : readers[error.name];
  return error === null || read === undefined ? { kind: 'unknown', data } : read(error.args.toObject());
}

const tokenErrors = new Interface([
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC2612ExpiredSignature(uint256 deadline)',
  'error ERC2612InvalidSigner(address signer, address owner)',
  'error OutOfGas(uint256 given)',
  'error Panic(uint256 code)',
]);

const MESSAGE_SELECTOR = '0x08c379a0';

/** Reads what the router keeps of a token's refusal. Never throws: an unknown error is `other`, with the data. */
export function decodeTokenReason(data: string): TokenReason {
  if (data === '0x') return { kind: 'silent' };
  if (/^0x0{64}$/.test(data)) return { kind: 'returned_false' };
  if (data.startsWith(MESSAGE_SELECTOR)) return decodeMessage(data);
  const error = parseError(tokenErrors, data);
  return (error && readTokenError(error)) ?? { kind: 'other', data };
}

function readTokenError({ name, args }: ErrorDescription): TokenReason | null {
  const values = args.toArray();
  if (name === 'ERC20InsufficientAllowance') {
    const [spender, allowance, needed] = z.tuple([text, int, int]).parse(values);
    return { kind: 'insufficient_allowance', spender, allowance, needed };
  }
  if (name === 'ERC20InsufficientBalance') {
    const [account, balance, needed] = z.tuple([text, int, int]).parse(values);
    return { kind: 'insufficient_balance', account, balance, needed };
  }
  if (name === 'ERC2612InvalidSigner') {
    const [signer, owner] = z.tuple([text, text]).parse(values);
    return { kind: 'permit_signer', signer, owner };
  }
  const [number] = z.tuple([int]).parse(values);
  if (name === 'ERC2612ExpiredSignature') return { kind: 'permit_expired', deadline: number };
  if (name === 'OutOfGas') return { kind: 'out_of_gas', given: number };
  if (name === 'Panic') return { kind: 'panic', code: number };
  return null;
}

/** Reads `Error(string)`, even if the router has cut off its text. */
function decodeMessage(data: string): TokenReason {
  try {
    const bytes = getBytes(data).slice(4);
    const [, length] = AbiCoder.defaultAbiCoder().decode(['uint256', 'uint256'], bytes).toArray();
    const message = toUtf8String(bytes.slice(64, 64 + Number(z.bigint().parse(length))), Utf8ErrorFuncs.replace);
    return { kind: 'message', message };
  } catch {
    return { kind: 'other', data };
  }
}

function parseError(abi: Interface, data: string): ErrorDescription | null {
  try {
    return abi.parseError(data);
  } catch {
    return null;
  }
}
