/** `approve(address,uint256)` of ERC-20. */
const APPROVE = '095ea7b3';
/** `allowance(address,address)`. */
const ALLOWANCE = 'dd62ed3e';

/** The call data of an approval: what a wallet is asked to send to the token, and what anybody can compare with it. */
export function approveCall(operator: string, value: bigint): string {
  return `0x${APPROVE}${word(BigInt(operator))}${word(value)}`;
}

/** The call data that asks a token what an owner has approved. */
export function allowanceCall(owner: string, operator: string): string {
  return `0x${ALLOWANCE}${word(BigInt(owner))}${word(BigInt(operator))}`;
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
