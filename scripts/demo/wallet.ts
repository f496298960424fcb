import { Interface, JsonRpcProvider, Network, Wallet } from 'ethers';
import { receiptOf } from '../lib/receipt.ts';
import type { LocalChain, TestWallet } from './world.ts';

/** What the demo needs of a token, as every wallet knows it. */
export const erc20 = new Interface([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

/** Blocks of the local chain come within a fraction of a second. */
const POLL_MS = 50;

/** A connection to the local chain that never answers from a cache. The caller destroys it. */
export function connectTo({ rpcUrl, chainId }: Pick<LocalChain, 'rpcUrl' | 'chainId'>): JsonRpcProvider {
  return new JsonRpcProvider(rpcUrl, chainId, {
    staticNetwork: Network.from(chainId),
    cacheTimeout: -1,
    batchStallTime: 0,
    pollingInterval: POLL_MS,
  });
}

/** A payer: a wallet with its key, and no way to the service. */
export class Payer {
  readonly address: string;
  readonly #wallet: Wallet;
  readonly #provider: JsonRpcProvider;

  constructor({ privateKey }: TestWallet, provider: JsonRpcProvider) {
    this.#provider = provider;
    this.#wallet = new Wallet(privateKey, provider);
    this.address = this.#wallet.address;
  }

  /** Signs a text that people can read; nothing of it touches the chain. */
  sign(message: string): Promise<string> {
    return this.#wallet.signMessage(message);
  }

  /** What `spender` may still take of `token`, base units. */
  async allowance(token: string, spender: string): Promise<bigint> {
    const data = erc20.encodeFunctionData('allowance', [this.address, spender]);
    const answer = await this.#provider.send('eth_call', [{ to: token, data }, 'latest']);
    return BigInt(answer);
  }

  /** Lets `spender` take `amount` base units of `token`; resolves with the hash when that is in a block. */
  async approve(token: string, spender: string, amount: bigint): Promise<string> {
    const sent = await this.#wallet.sendTransaction({
      to: token,
      data: erc20.encodeFunctionData('approve', [spender, amount]),
    });
    await receiptOf(this.#provider, sent.hash);
    return sent.hash;
  }
}
