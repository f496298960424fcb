/** `approve(address,uint256)` of ERC-20. */
const APPROVE = '095ea7b3';
/** `allowance(address,address)`. */
const ALLOWANCE = 'dd62ed3e';

/** The call data of an approval, which the wallet sends to the token and anybody can compare. */
export function approveCall(operator: string, value: bigint): string {
  return `0x${APPROVE}${word(BigInt(operator))}${word(value)}`;
}

/** The call data that reads an owner's allowance from a token. */
export function allowanceCall(owner: string, operator: string): string {
  return `0x${ALLOWANCE}${word(BigInt(owner))}${word(BigInt(operator))}`;
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
