import { AbiCoder, type ErrorDescription, getBytes, Interface, toUtf8String, Utf8ErrorFuncs } from 'ethers';
import { z } from 'zod';
import { routerInterface } from './router.ts';

const text = z.string();
const int = z.bigint();
const index = z.bigint().transform(Number);
const inner = z.string().transform((data) => decodeTokenReason(data));

/** Makes a reason from the arguments of an error. The schema checks that the ABI has the expected types. */
function reader<K extends string, S extends z.ZodRawShape>(kind: K, shape: S) {
  const schema = z.object(shape);
  return (args: unknown): { readonly kind: K } & Readonly<z.infer<typeof schema>> => ({ kind, ...schema.parse(args) });
}

const MESSAGE_SELECTOR = '0x08c379a0';

const tokenErrors = new Interface([
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InsufficientBalance(address account, uint256 balance, uint256 needed)',
  'error ERC2612ExpiredSignature(uint256 deadline)',
  'error ERC2612InvalidSigner(address signer, address owner)',
  'error OutOfGas(uint256 given)',
]);

const tokenReaders = {
  ERC20InsufficientAllowance: reader('insufficient_allowance', { spender: text, allowance: int, needed: int }),
  ERC20InsufficientBalance: reader('insufficient_balance', { account: text, balance: int, needed: int }),
  /** A permit whose deadline has passed; Unix seconds. */
  ERC2612ExpiredSignature: reader('permit_expired', { deadline: int }),
  /** Somebody else signed the permit, or it was used already, or it is for something else. */
  ERC2612InvalidSigner: reader('permit_signer', { signer: text, owner: text }),
  /** The token used up all of its gas, far more than a transfer needs. Some old tokens refuse in this way. */
  OutOfGas: reader('out_of_gas', { given: int }),
  /** A check that Solidity adds has failed. */
  Panic: reader('panic', { code: int }),
};

/** Why a token refused, if its revert data (the router keeps at most 512 bytes) or its answer says so. Base units. */
export type TokenReason =
  | ReasonOf<typeof tokenReaders>
  /** A revert with a text. Older tokens give one for every refusal. */
  | { readonly kind: 'message'; readonly message: string }
  /** The token answered false instead of reverting. */
  | { readonly kind: 'returned_false' }
  /** The token reverted without data. */
  | { readonly kind: 'silent' }
  /** An error that the token defines, as hex. */
  | { readonly kind: 'other'; readonly data: string };

const routerReaders = {
  Seen: reader('seen', { key: text }),
  PullFailed: reader('pull_failed', { inner }),
  ShareFailed: reader('share_failed', { index, inner }),
  BalanceFailed: reader('balance_failed', { inner }),
  ArrivalMismatch: reader('arrival_mismatch', { arrived: int, expected: int }),
  Residue: reader('residue', { balance: int, expected: int }),
  OutOfGas: reader('out_of_gas', { given: int }),
  GasTooLow: reader('gas_too_low', { available: int, required: int }),
  NotAToken: reader('not_a_token', { token: text }),
  ZeroGross: reader('zero_gross', { key: text }),
  SharesUneven: reader('shares_uneven', { recipients: int, amounts: int }),
  TooManyShares: reader('too_many_shares', { attempted: int, allowed: int }),
  SharesMismatch: reader('shares_mismatch', { sum: int, gross: int }),
  BadRecipient: reader('bad_recipient', { index, recipient: text }),
  RefundFailed: reader('refund_failed', { inner }),
  ZeroRefund: reader('zero_refund', { key: text }),
  PermitFailed: reader('permit_failed', { allowance: int, value: int, inner }),
  NotSender: reader('not_sender', { caller: text }),
  NotSelf: reader('not_self', { caller: text }),
  OwnableUnauthorizedAccount: reader('not_owner', { caller: text }),
  OwnableInvalidOwner: reader('bad_owner', { owner: text }),
  OwnerRequired: reader('owner_required', {}),
  BadSender: reader('bad_sender', { sender: text }),
  GasBudgetTooLow: reader('gas_budget_too_low', { base: int, perShare: int }),
  NotGuardian: reader('not_guardian', { caller: text }),
  NotAnnounced: reader('not_announced', { payee: text }),
  BadPayee: reader('bad_payee', { payee: text }),
  /** Under a mandate: the token did not move a share from the payer to its recipient. */
  SharePullFailed: reader('share_pull_failed', { index, inner }),
  BadSignature: reader('bad_signature', { payer: text }),
  Revoked: reader('revoked', { payer: text, agreement: text }),
  Superseded: reader('superseded', { issuedAt: int, inForce: int }),
  TooEarly: reader('too_early', { start: int }),
  TooLate: reader('too_late', { end: int }),
  TwoRhythms: reader('two_rhythms', { interval: int, months: int }),
  AheadOfRhythm: reader('ahead_of_rhythm', { from: int }),
  UsedUp: reader('used_up', { charges: int }),
  AbovePerCharge: reader('above_per_charge', { gross: int, perCharge: int }),
  AbovePer30Days: reader('above_per_30_days', { sum: int, per30Days: int }),
  AboveFee: reader('above_fee', { fee: int, feeBps: int }),
  NotPayee: reader('not_payee', { index, recipient: text }),
  CycleOutOfRange: reader('cycle_out_of_range', { cycle: int, last: int }),
  EnforcedPause: reader('paused', {}),
  ExpectedPause: reader('not_paused', {}),
  ReentrancyGuardReentrantCall: reader('reentered', {}),
};

/** Why the router made no charge, refund or permit: one kind for each of its errors. Amounts in base units. */
export type Reason =
  | ReasonOf<typeof routerReaders>
  /** No error of the router: no data (no gas, no contract), or an answer of something else. */
  | { readonly kind: 'unknown'; readonly data: string };

type ReasonOf<R extends Readers<unknown>> = ReturnType<R[keyof R]>;
type Readers<R> = Readonly<Record<string, (args: unknown) => R>>;

/** Of a call that reverted, a `Refused` event, or `decodeChargeMany`. Never throws: else `unknown`, with data. */
export function decodeReason(data: string): Reason {
  return read<Reason>(routerInterface, routerReaders, data) ?? { kind: 'unknown', data };
}

/** Reads what the router keeps of a token's refusal. Never throws: an unknown error is `other`, with the data. */
export function decodeTokenReason(data: string): TokenReason {
  if (data === '0x') return { kind: 'silent' };
  if (/^0x0{64}$/.test(data)) return { kind: 'returned_false' };
  if (data.startsWith(MESSAGE_SELECTOR)) return decodeMessage(data);
  return read<TokenReason>(tokenErrors, tokenReaders, data) ?? { kind: 'other', data };
}

/** The ABI says `reason` for `inner`, and once `account` for `caller`. */
function read<R>(abi: Interface, readers: Readers<R>, data: string): R | undefined {
  const error = parseError(abi, data);
  if (error === null) return undefined;
  // ethers knows this error itself, without a name for its code.
  const args = error.name === 'Panic' ? { code: error.args[0] } : error.args.toObject();
  return readers[error.name]?.({ inner: args['reason'], caller: args['account'], ...args });
}

function parseError(abi: Interface, data: string): ErrorDescription | null {
  try {
    return abi.parseError(data);
  } catch {
    return null;
  }
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
