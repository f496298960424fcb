import { type RouterCharge, routerInterface } from '../../../src/chains/evm/contracts/router.ts';

/** Call data of `charge`: one charge, or the whole transaction reverts with what `decodeReason` reads. */
export function encodeCharge(charge: RouterCharge): string {
  return routerInterface.encodeFunctionData('charge', [charge]);
}
