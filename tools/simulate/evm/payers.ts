import { computeAddress, SigningKey, TypedDataEncoder } from 'ethers';
import { merchantSalt, routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { typedDataOf } from '../../../src/chains/mandates.ts';
import type { ToSign } from '../simulated-chain.ts';
import { digestOf, remembered } from './names.ts';
import type { SimEvm } from './node.ts';

/** Wallets with a key. They sign typed data, and send transactions of their own. */
export class Payers {
  readonly #sim: SimEvm;
  readonly #keys = new Map<string, string>();

  constructor(sim: SimEvm) {
    this.#sim = sim;
  }

  make(): string {
    const name = `payer ${this.#keys.size + 1} of ${this.#sim.world.chainId}`;
    const key = digestOf(name);
    const address = remembered(name, () => computeAddress(key));
    this.#keys.set(address, key);
    return address;
  }

  sign(payer: string, { mandate }: ToSign): string {
    const key = this.#keys.get(payer);
    const typedData = typedDataOf(mandate);
    if (key === undefined || typedData === null) throw new Error(`${payer} has no key, or nothing to sign`);
    const { domain, types, message } = typedData;
    return new SigningKey(key).sign(TypedDataEncoder.hash(domain, types, message)).serialized;
  }

  revoke(payer: string, merchantId: string, agreement: string): void {
    const values = [merchantSalt(merchantId, 'test'), agreement];
    this.#sim.act(payer, this.#sim.world.router, routerInterface.encodeFunctionData('revoke', values));
  }
}
