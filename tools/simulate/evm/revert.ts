import { Interface } from 'ethers';
import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { word } from '../../../src/chains/evm/words.ts';

/** A contract undoes its call and returns a reason. */
export class Revert extends Error {
  /** 0x-hex. */
  readonly data: string;

  constructor(data = '0x') {
    super(`execution reverted: ${data.slice(0, 10)}`);
    this.name = 'Revert';
    this.data = data;
  }
}

export function routerError(name: string, ...values: readonly unknown[]): Revert {
  return new Revert(routerInterface.encodeErrorResult(name, values));
}

/** An error of the test token or of the contracts that it inherits from. */
export function tokenError(name: string, ...values: readonly unknown[]): Revert {
  return new Revert(testTokenInterface.encodeErrorResult(name, values));
}

/** The error of a check that Solidity adds. */
export function panic(code: bigint): Revert {
  return new Revert(`0x4e487b71${word(code)}`);
}

const clones = new Interface(['error NotRouter(address caller, address router)']);

/** The error of a clone that is not called by its router. */
export function notRouter(caller: string, router: string): Revert {
  return new Revert(clones.encodeErrorResult('NotRouter', [caller, router]));
}
