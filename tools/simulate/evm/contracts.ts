import { Interface } from 'ethers';
import { MULTICALL3_CODE } from '../../../devnet/evm-multicall.ts';
import {
  expectedDepositCode,
  expectedMandateOperatorCode,
  expectedOperatorCode,
  expectedRouterCode,
} from '../../../src/chains/evm/contracts/router-code.ts';
import { MULTICALL3 } from '../../../src/chains/evm/multicall.ts';
import { bytes, count, list, word } from '../../../src/chains/evm/words.ts';
import { CallData, namesOf } from './call-data.ts';
import type { Contract, ContractAt, Run } from './machine.ts';
import { remembered } from './names.ts';
import { notRouter, Revert } from './revert.ts';
import { SimRouter } from './router.ts';
import { tokenContract } from './token.ts';
import { implementationsOf, type SimEvmWorld } from './world.ts';

/** The contracts of a simulated chain, and the code that its nodes show. */
export class Contracts {
  readonly router: SimRouter;
  readonly #contracts = new Map<string, Contract>();
  readonly #codes = new Map<string, () => string>();
  readonly #clone: Contract;

  constructor(world: SimEvmWorld, hasMulticall: boolean) {
    const { router, owner, chainId, tokens } = world;
    const place = router.toLowerCase();
    const made = implementationsOf(router);
    this.router = new SimRouter(world, made);
    this.#clone = cloneContract(router);
    this.#put(place, this.router.contract, () => remembered(`code of ${router}`, () => expectedRouterCode(router)));
    this.#put(made.operator, this.#clone, () => expectedOperatorCode(router));
    this.#put(made.deposit, this.#clone, () => expectedDepositCode(router));
    this.#put(made.mandate, this.#clone, () => expectedMandateOperatorCode(router));
    for (const token of tokens) this.#put(token.address, tokenContract(token, chainId, owner), () => TOKEN_CODE);
    if (hasMulticall) this.#put(MULTICALL3, aggregate3, () => MULTICALL3_CODE);
  }

  readonly at: ContractAt = (run, address) => {
    const fixed = this.#contracts.get(address);
    if (fixed !== undefined) return fixed;
    return this.router.cloneCode(run, address) === null ? null : this.#clone;
  };

  /** 0x-hex, in the state that `run` reads. */
  codeAt(run: Pick<Run, 'get'>, address: string): string {
    return this.#codes.get(address)?.() ?? this.router.cloneCode(run, address) ?? '0x';
  }

  #put(address: string, contract: Contract, code: () => string): void {
    this.#contracts.set(address.toLowerCase(), contract);
    let shown: string | null = null;
    this.#codes.set(address.toLowerCase(), () => {
      shown ??= code();
      return shown;
    });
  }
}

const clones = new Interface([
  'function router() view returns (address)',
  'function pull(address token, address from, uint256 amount)',
  'function pull(address token, uint256 amount)',
  'function pull(address token, address from, address[] to, uint256[] amounts)',
  'function refund(address token, address to, uint256 amount)',
]);
const CLONE_NAMES = namesOf(clones);

/**
 * An operator of either kind or a deposit forwarder as it answers everybody but the router. The router's calls of its clones are part of its
 * own code.
 */
function cloneContract(router: string): Contract {
  return (_, { from, data }) => {
    const name = CLONE_NAMES.get(data.slice(0, 10));
    if (name === undefined) throw new Revert();
    if (name === 'router') return clones.encodeFunctionResult('router', [router]);
    throw notRouter(from, router);
  };
}

/** Enough: everybody checks only that a token has code. */
const TOKEN_CODE = '0xfe';

const AGGREGATE3 = '0x82ad56cb';

/** Only `aggregate3` of Multicall3. */
const aggregate3: Contract = (run, { to: self, data: called }) => {
  if (!called.startsWith(AGGREGATE3)) throw new Revert();
  const data = new CallData(called);
  const results = data.list(data.count(0), (at) => {
    const call = { from: self, to: data.address(at), data: data.bytes(at + data.count(at + 64)), value: 0n };
    const result = run.call(call);
    if (!result.ok && !data.boolean(at + 32)) throw new Revert();
    return word(result.ok ? 1n : 0n) + count(2 * 32) + bytes(result.data);
  });
  return `0x${count(32)}${list(results)}`;
};
