import { type JsonRpcProvider, Wallet } from 'ethers';
import type { TestWallet } from '../lib/devnet-facts.ts';
import { erc20 } from '../lib/erc20.ts';
import { receiptOf } from '../lib/receipt.ts';

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

  /** Signs readable text, without any transaction. */
  sign(message: string): Promise<string> {
    return this.#wallet.signMessage(message);
  }

  /** The rest of the allowance of `spender` for `token`, base units. */
  async allowance(token: string, spender: string): Promise<bigint> {
    const data = erc20.encodeFunctionData('allowance', [this.address, spender]);
    const answer = await this.#provider.send('eth_call', [{ to: token, data }, 'latest']);
    return BigInt(answer);
  }

  /** Approves `spender` for `amount` base units of `token`. Resolves with the hash when it is in a block. */
  async approve(token: string, spender: string, amount: bigint): Promise<string> {
    const sent = await this.#wallet.sendTransaction({
      to: token,
      data: erc20.encodeFunctionData('approve', [spender, amount]),
    });
    await receiptOf(this.#provider, sent.hash);
    return sent.hash;
  }
}
