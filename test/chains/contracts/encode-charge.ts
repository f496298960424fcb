import { type RouterCharge, routerInterface } from '../../../src/chains/evm/contracts/router.ts';

/** Call data of `charge`: one charge; on failure the whole transaction reverts with data for `decodeReason`. */
export function encodeCharge(charge: RouterCharge): string {
  return routerInterface.encodeFunctionData('charge', [charge]);
}
