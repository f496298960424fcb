/** `approve(address,uint256)` of ERC-20. */
const APPROVE = '095ea7b3';
/** `allowance(address,address)`. */
const ALLOWANCE = 'dd62ed3e';
/** `revoke(bytes32,bytes32)` of the router. */
const REVOKE = 'c2664610';
/** `agreementOf(address,bytes32,bytes32)`. */
const AGREEMENT_OF = 'eb015cd5';

/** The call data of an approval, which the wallet sends to the token and anybody can compare. */
export function approveCall(operator: string, value: bigint): string {
  return `0x${APPROVE}${addressWord(operator)}${word(value)}`;
}

/** The call data that reads an owner's allowance from a token. */
export function allowanceCall(owner: string, operator: string): string {
  return `0x${ALLOWANCE}${addressWord(owner)}${addressWord(operator)}`;
}

/**
 * The call data with which a payer ends an agreement on the router. `merchant` and `agreement` are 32 bytes, 0x-hex.
 */
export function revokeCall(merchant: string, agreement: string): string {
  return `0x${REVOKE}${bytes32(merchant)}${bytes32(agreement)}`;
}

/** The call data that reads the state of an agreement from the router. */
export function agreementCall(payer: string, merchant: string, agreement: string): string {
  return `0x${AGREEMENT_OF}${addressWord(payer)}${bytes32(merchant)}${bytes32(agreement)}`;
}

/** Instead of a mandate's moment of issue: the payer has revoked the agreement. */
const REVOKED = 2n ** 40n - 1n;

/** True if the state of an agreement, 0x-hex, says that its payer has revoked it. */
export function isRevokedIn(state: string): boolean {
  return /^0x[0-9a-f]{64}/i.test(state) && BigInt(state.slice(0, 66)) === REVOKED;
}

function addressWord(address: string): string {
  return word(BigInt(address));
}

function bytes32(hex: string): string {
  return hex.slice(2).toLowerCase();
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
