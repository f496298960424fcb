import { id } from 'ethers';
import { address, word } from '../../../src/chains/evm/words.ts';
import type { Result, Run } from './machine.ts';

/** The limit of a token's revert data, bytes. */
const MAX_REASON = 512;

const selectorOf = (signature: string): string => id(signature).slice(0, 10);
const TRANSFER_FROM = selectorOf('transferFrom(address,address,uint256)');
const TRANSFER = selectorOf('transfer(address,uint256)');
const BALANCE_OF = selectorOf('balanceOf(address)');
const ALLOWANCE = selectorOf('allowance(address,address)');
const PERMIT = selectorOf('permit(address,address,uint256,uint256,uint8,bytes32,bytes32)');

export interface Done {
  readonly done: boolean;
  /** The data that the token returned, cut to the limit. */
  readonly why: string;
}

/** `TokenCalls.sol`: calls of a token that nobody trusts. No function here reverts because of the token. */
export class TokenCalls {
  readonly #run: Run;
  readonly #token: string;

  constructor(run: Run, token: string) {
    this.#run = run;
    this.#token = token;
  }

  /** `transferFrom`, called by `caller`. */
  pull(caller: string, { from, to, amount }: { from: string; to: string; amount: bigint }): Done {
    return this.#try(caller, TRANSFER_FROM + address(from) + address(to) + word(amount));
  }

  /** `transfer`, called by `caller`. */
  push(caller: string, to: string, amount: bigint): Done {
    return this.#try(caller, TRANSFER + address(to) + word(amount));
  }

  /** Null: the token returns no balance. */
  balanceOf(account: string): { readonly balance: bigint | null; readonly why: string } {
    const result = this.#call(account, BALANCE_OF + address(account));
    return { balance: numberIn(result), why: reasonOf(result) };
  }

  allowance(owner: string, spender: string): bigint {
    return numberIn(this.#call(spender, ALLOWANCE + address(owner) + address(spender))) ?? 0n;
  }

  /**
   * Returns the token's answer.
   * @param words the arguments, hex without 0x
   */
  permit(caller: string, words: string): string {
    return reasonOf(this.#call(caller, PERMIT + words));
  }

  /** A token that returns nothing counts as one that returns true. */
  #try(caller: string, data: string): Done {
    const result = this.#call(caller, data);
    const said = result.data === '0x' ? this.#run.hasCode(this.#token) : numberIn(result) === 1n;
    return { done: result.ok && said, why: reasonOf(result) };
  }

  #call(from: string, data: string): Result {
    return this.#run.call({ from, to: this.#token, data, value: 0n });
  }
}

function numberIn({ ok, data }: Result): bigint | null {
  return ok && data.length >= 66 ? BigInt(data.slice(0, 66)) : null;
}

function reasonOf({ data }: Result): string {
  return data.slice(0, 2 + MAX_REASON * 2);
}
