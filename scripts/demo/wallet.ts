import { type JsonRpcProvider, type TypedDataField, Wallet } from 'ethers';
import { erc20 } from '../../stage/erc20.ts';
import { receiptOf } from '../../stage/receipt.ts';
import type { TestWallet } from '../lib/devnet-facts.ts';

/** The typed data of a challenge. */
export interface MandateToSign {
  readonly domain: Record<string, unknown>;
  readonly types: { readonly Mandate: TypedDataField[] };
  readonly message: Record<string, unknown>;
}

/** A payer: a wallet with its key, without access to the service. */
export class Payer {
  readonly address: string;
  readonly #wallet: Wallet;
  readonly #provider: JsonRpcProvider;

  constructor({ privateKey }: TestWallet, provider: JsonRpcProvider) {
    this.#provider = provider;
    this.#wallet = new Wallet(privateKey, provider);
    this.address = this.#wallet.address;
  }

  /** Signs a mandate, which the wallet shows field by field, without any transaction. */
  sign({ domain, types: { Mandate }, message }: MandateToSign): Promise<string> {
    return this.#wallet.signTypedData(domain, { Mandate }, message);
  }

  /** The rest of the allowance of `spender` for `token`, base units. */
  async allowance(token: string, spender: string): Promise<bigint> {
    const data = erc20.encodeFunctionData('allowance', [this.address, spender]);
    const answer = await this.#provider.send('eth_call', [{ to: token, data }, 'latest']);
    return BigInt(answer);
  }

  /** Approves `spender` for `amount` base units of `token`. Resolves with the hash when it is in a block. */
  approve(token: string, spender: string, amount: bigint): Promise<string> {
    return this.send(token, erc20.encodeFunctionData('approve', [spender, amount]));
  }

  /** Calls a contract. Resolves with the hash when it is in a block; throws if the chain reverts it. */
  async send(to: string, data: string): Promise<string> {
    const { hash } = await this.#wallet.sendTransaction({ to, data });
    await receiptOf(this.#provider, hash);
    return hash;
  }
}
