import { AbiCoder, concat, getCreate2Address, getCreateAddress, Interface, id, keccak256, ZeroAddress } from 'ethers';
import { z } from 'zod';
import type { Mode, Tenant } from '../../../store/documents.ts';
import type { Consent } from '../../consent.ts';
import { remembered } from '../../remembered.ts';
import { getAddress } from '../address.ts';
import { address, bytes32, count, list, word } from '../words.ts';
import artifact from './artifacts/Router.json' with { type: 'json' };
import { type MandateCharge, mandateChargeWords } from './mandates.ts';

/** The router's ABI: its functions, its events, and all errors of the router and its clones. */
export const routerInterface = new Interface(artifact.abi);

/** The most shares that the router accepts in one charge. */
export const MAX_SHARES = 16;

/**
 * One charge as the contract expects it. `key` and `merchant` are 32 bytes in hex; `gross` and `amounts` are base
 * units. `amounts` add up to `gross`, and `to[i]` gets `amounts[i]`. For an amount of 0 no transfer happens. `from` is
 * the payer, or `depositAddress(router, key)` to charge the money at that address.
 */
export type RouterCharge = {
  readonly key: string;
  readonly merchant: string;
  readonly token: string;
  readonly from: string;
  readonly gross: bigint;
  readonly to: readonly string[];
  readonly amounts: readonly bigint[];
};

/** A permit (EIP-2612) of `payer` for an operator of the merchant. `deadline`: Unix seconds; `value`: base units. */
export type RouterPermit = {
  readonly token: string;
  readonly payer: string;
  readonly merchant: string;
  /** For the mandate operator; else for the open one. */
  readonly isBounded?: boolean;
  readonly value: bigint;
  readonly deadline: bigint;
  readonly signature: { readonly v: number; readonly r: string; readonly s: string };
};

/** Identifies a merchant in one environment for the router: keccak256 of `<merchantId>:<mode>`. */
export function merchantSalt(merchantId: string, mode: Mode): string {
  return remembered(salts, `${merchantId}:${mode}`, id);
}

/** Hashes of merchants, which every charge and check needs again. */
const salts = new Map<string, string>();

/** The key of a cycle's charge, in all its attempts. Without `secret` nobody can compute it; absent: none. */
export function cycleChargeKey(subscriptionId: string, cycle: number, secret?: string): string {
  if (!Number.isSafeInteger(cycle) || cycle < 1) throw new RangeError(`cycle ${cycle}: expected an integer from 1`);
  return id(withSecret(`subscription:${subscriptionId}:${cycle}`, secret));
}

/** The key of a one-off payment's charge, and of its deposit address. `secret` as above. */
export function paymentChargeKey(paymentId: string, secret?: string): string {
  return id(withSecret(`payment:${paymentId}`, secret));
}

function withSecret(name: string, secret: string | undefined): string {
  return secret === undefined ? name : `${name}:${secret}`;
}

/** The implementations of operators and deposit forwarders, which the router's constructor creates first and second. */
export function implementationAddresses(router: string): {
  readonly operator: string;
  readonly deposit: string;
  readonly mandate: string;
} {
  return {
    operator: getCreateAddress({ from: router, nonce: 1 }),
    deposit: getCreateAddress({ from: router, nonce: 2 }),
    mandate: getCreateAddress({ from: router, nonce: 3 }),
  };
}

/** The operators that are computed so far. One needs three hashes, and every check and every charge needs one. */
const operators = new Map<string, string>();
const mandateOperators = new Map<string, string>();

/**
 * The address that a merchant's payers approve (checksummed). It follows from the router's address, the merchant and
 * the mode; it stays the same when the merchant's first charge creates the operator there.
 */
export function operatorAddress(router: string, merchantId: string, mode: Mode): string {
  return remembered(operators, `${router}/${merchantId}/${mode}`, () =>
    cloneAddress(router, 'operator', merchantSalt(merchantId, mode)),
  );
}

/** The operator that signers of mandates approve (checksummed): the same before and after its first charge. */
export function mandateOperatorAddress(router: string, merchantId: string, mode: Mode): string {
  return remembered(mandateOperators, `${router}/${merchantId}/${mode}`, () =>
    cloneAddress(router, 'mandate', merchantSalt(merchantId, mode)),
  );
}

/** The operator of this router that a merchant's payers approve: of mandates, or the open one. */
export function operatorOf(
  router: string,
  { merchantId, mode }: Tenant,
  { isBounded }: Pick<Consent, 'isBounded'>,
): string {
  return isBounded ? mandateOperatorAddress(router, merchantId, mode) : operatorAddress(router, merchantId, mode);
}

/** The address for the money of a `wallet_transfer` payment (checksummed), before and after its contract. */
export function depositAddress(router: string, key: string): string {
  return cloneAddress(router, 'deposit', key);
}

/** EIP-1167: the code that creates a clone is 20 bytes around the address of the implementation. */
function cloneAddress(router: string, of: 'operator' | 'deposit' | 'mandate', salt: string): string {
  const codeHash = remembered(cloneCodes, `${router}/${of}`, () => {
    const implementation = implementationAddresses(router)[of];
    return keccak256(
      concat(['0x3d602d80600a3d3981f3363d3d373d3d3d363d73', implementation, '0x5af43d82803e903d91602b57fd5bf3']),
    );
  });
  return getCreate2Address(router, salt, codeHash);
}

/** The hashes of the code that creates the clones of a router: the same for all merchants. */
const cloneCodes = new Map<string, string>();

/**
 * The data of the transaction that creates a router. Its address follows from the creator's address and nonce.
 * `payeeDelay`: seconds for which an announced payee waits. `guardian`: the zero address for none.
 */
export function deployRouterData(
  owner: string,
  senders: readonly string[],
  payeeDelay = 0,
  guardian = ZeroAddress,
): string {
  const types = ['address', 'address[]', 'uint32', 'address'];
  const values = AbiCoder.defaultAbiCoder().encode(types, [owner, senders, payeeDelay, guardian]);
  return concat([artifact.bytecode, values]);
}

/** Call data of `chargeMany`: open charges, then those under mandates, each made or refused on its own. */
export function encodeChargeMany(open: readonly RouterCharge[], bounded: readonly MandateCharge[] = []): string {
  const first = list(open.map(chargeWords));
  return CHARGE_MANY + count(64) + count(64 + first.length / 2) + first + list(bounded.map(mandateChargeWords));
}

const CHARGE_MANY = routerInterface.getFunction('chargeMany')?.selector ?? '';

/** An open charge as `chargeMany` takes it, in ABI words. */
function chargeWords({ key, merchant, token, from, gross, to, amounts }: RouterCharge): string {
  const recipients = count(to.length) + to.map(address).join('');
  const shares = count(amounts.length) + amounts.map(word).join('');
  const head = 7 * 32;
  return (
    bytes32(key) +
    bytes32(merchant) +
    address(token) +
    address(from) +
    word(gross) +
    count(head) +
    count(head + recipients.length / 2) +
    recipients +
    shares
  );
}

const reasonsSchema = z.tuple([z.array(z.string())]);

/** Reads the answer of `chargeMany`: one entry per charge, `0x` if it would be made, else its revert data. */
export function decodeChargeMany(result: string): string[] {
  const [reasons] = reasonsSchema.parse(routerInterface.decodeFunctionResult('chargeMany', result).toArray(true));
  return reasons;
}

/** Call data of `permit`. It does not revert if the permit was used already and the allowance covers its value. */
export function encodePermit(permit: RouterPermit): string {
  const { token, payer, merchant, isBounded = false, value, deadline, signature } = permit;
  const { v, r, s } = signature;
  return routerInterface.encodeFunctionData('permit', [token, payer, merchant, isBounded, value, deadline, v, r, s]);
}

/** The key of the refund of an arrival at a deposit address. The router makes it once, in whatever transaction. */
export function refundKey(arrivalId: string, secret?: string): string {
  return id(withSecret(`refund:${arrivalId}`, secret));
}

/** Sends `amount` of `token` (null: the native coin) from the deposit address of `key` to `to`, once for `refund`. */
export function encodeRefundDeposit(refund: {
  readonly key: string;
  readonly refund: string;
  readonly token: string | null;
  readonly to: string;
  readonly amount: bigint;
}): string {
  const token = refund.token === null ? `0x${'00'.repeat(20)}` : getAddress(refund.token);
  return routerInterface.encodeFunctionData('refundDeposit', [
    refund.key,
    refund.refund,
    token,
    refund.to,
    refund.amount,
  ]);
}

/** Call data of `refund`: `amount` base units of the charge `key`, from the caller's wallet to `to`. */
export function encodeRefund(refund: {
  readonly key: string;
  readonly token: string;
  readonly to: string;
  readonly amount: bigint;
}): string {
  return routerInterface.encodeFunctionData('refund', [refund.key, refund.token, refund.to, refund.amount]);
}

/** Call data of ERC-20's `approve`. */
export function encodeApprove(spender: string, amount: bigint): string {
  return APPROVE + address(spender) + word(amount);
}

const APPROVE = '0x095ea7b3';

/** Call data of `seen`, which answers whether `key` has been charged. */
export function encodeSeen(key: string): string {
  return routerInterface.encodeFunctionData('seen', [key]);
}

/** Call data of `cycleSeen`: whether a cycle of an agreement has been charged. `decodeSeen` reads the answer. */
export function encodeCycleSeen(payer: string, merchant: string, agreement: string, cycle: number): string {
  return routerInterface.encodeFunctionData('cycleSeen', [payer, merchant, agreement, cycle]);
}

/** Reads the answer of a call of `seen`, or of `cycleSeen`. */
export function decodeSeen(result: string): boolean {
  return z.tuple([z.boolean()]).parse(routerInterface.decodeFunctionResult('seen', result).toArray())[0];
}

/** Call data of `chargedAt`: when `key` was charged. */
export function encodeChargedAt(key: string): string {
  return routerInterface.encodeFunctionData('chargedAt', [key]);
}

/**
 * The answer of `chargedAt`: the number and the time (Unix seconds) of the block that has the event of the key. Null:
 * the key was never charged. On Arbitrum the number is of a block of Ethereum.
 */
export function decodeChargedAt(result: string): { readonly blockNumber: bigint; readonly timestamp: bigint } | null {
  const words = routerInterface.decodeFunctionResult('chargedAt', result).toArray();
  const [blockNumber, timestamp] = z.tuple([z.bigint(), z.bigint()]).parse(words);
  return blockNumber === 0n ? null : { blockNumber, timestamp };
}

/** Call data of `announcePayee`. A second announcement changes nothing. */
export function encodeAnnouncePayee(merchant: string, payee: string): string {
  return routerInterface.encodeFunctionData('announcePayee', [merchant, payee]);
}

/** Call data of `announcementOf`: when charges under mandates can pay the payee. */
export function encodeAnnouncementOf(merchant: string, payee: string): string {
  return routerInterface.encodeFunctionData('announcementOf', [merchant, payee]);
}

/** The `until` of an announcement that a charge has used. */
const FOR_GOOD = 2n ** 40n - 1n;

/** The answer of `announcementOf`, Unix seconds. `until` null: it never lapses. Null: it is not announced. */
export function decodeAnnouncementOf(result: string): { readonly from: number; readonly until: number | null } | null {
  const words = routerInterface.decodeFunctionResult('announcementOf', result).toArray();
  const [from, until] = z.tuple([z.bigint(), z.bigint()]).parse(words);
  return from === 0n ? null : { from: Number(from), until: until === FOR_GOOD ? null : Number(until) };
}

/** Call data of `payeeDelay`: the seconds for which an announced payee waits. */
export function encodePayeeDelay(): string {
  return routerInterface.encodeFunctionData('payeeDelay', []);
}
