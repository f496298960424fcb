import { Interface } from 'ethers';
import { count, list } from '../words.ts';
import { chargeWords, type RouterCharge, type RouterPermit } from './router.ts';

/** The functions of a router from before mandates that differ from the present ones. Answers, events and errors are the same. */
const functions = new Interface([
  'function chargeMany((bytes32 key, bytes32 merchant, address token, address from, uint256 gross, address[] to, uint256[] amounts)[] items) returns (bytes[] reasons)',
  'function permit(address token, address payer, bytes32 merchant, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
]);

const CHARGE_MANY = functions.getFunction('chargeMany')?.selector ?? '';

/** Call data of `chargeMany` for a router without mandates. */
export function encodeChargeManyBefore(charges: readonly RouterCharge[]): string {
  return CHARGE_MANY + count(32) + list(charges.map(chargeWords));
}

/** Call data of `permit` for a router without mandates: for the open operator. */
export function encodePermitBefore(permit: Omit<RouterPermit, 'isBounded'>): string {
  const { token, payer, merchant, value, deadline, signature } = permit;
  const { v, r, s } = signature;
  return functions.encodeFunctionData('permit', [token, payer, merchant, value, deadline, v, r, s]);
}
