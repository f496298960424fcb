import { randomBytes } from 'node:crypto';
import {
  JsonRpcProvider,
  Network,
  type TransactionReceipt,
  type TransactionRequest,
  type TransactionResponse,
  toBeHex,
  toQuantity,
  Wallet,
} from 'ethers';
import { localKey } from '../devnet/evm-wallets.ts';
import { type DevnetFacts, tokenNamed, walletNamed } from '../scripts/lib/devnet-facts.ts';
import { erc20, readTransfers, type Transfer } from './erc20.ts';
import { receiptOf } from './receipt.ts';
import { type Amount, PLAYING_TOKEN_KEY, units } from './tokens.ts';

/** The key that may freeze wallets, like the issuer of a stablecoin. */
const ISSUER = localKey('maker of the test token USDC with 6 decimals');

const SENDERS = Array.from({ length: 8 }, (_, index) => localKey(`sender ${index + 1}`).privateKey);

const GAS_MONEY = toBeHex(10n ** 18n);

/** Another transaction of the sender with the same nonce: a transfer of zero to itself. */
function rivalOf({ from, nonce, chainId }: TransactionResponse): Promise<string> {
  const sender = SENDERS.map((key) => new Wallet(key)).find(({ address }) => address === from);
  if (!sender) throw new Error(`${from} is none of the local senders`);
  const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n };
  return sender.signTransaction({ type: 2, chainId, nonce, to: from, gasLimit: 21_000n, ...fees });
}

/** As wallets and explorers see it, without the service. The playing token by default. Acts resolve in a block. */
export class LocalChain {
  /** The test wallet from which every new wallet gets its first tokens. */
  static readonly FAUCET = 'payer-10';

  readonly facts: DevnetFacts;
  readonly provider: JsonRpcProvider;
  readonly #faucet: Wallet;
  readonly #issuer: Wallet;
  /** Transactions of one wallet are sent one after the other, even if stories run at the same time. */
  #sent: Promise<unknown> = Promise.resolve();

  constructor(facts: DevnetFacts) {
    this.facts = facts;
    this.provider = connectTo(facts);
    this.#faucet = this.wallet(LocalChain.FAUCET);
    this.#issuer = new Wallet(ISSUER.privateKey, this.provider);
  }

  get token(): string {
    return tokenNamed(this.facts, PLAYING_TOKEN_KEY);
  }

  /** The router of all charges. */
  get router(): string {
    return this.facts.router;
  }

  /** New wallets are filled from here, and emptied to it. */
  get faucet(): string {
    return this.#faucet.address;
  }

  addressOf(name: string): string {
    return walletNamed(this.facts, name).address;
  }

  /** A test wallet of the devnet. */
  wallet(name: string): Wallet {
    return new Wallet(walletNamed(this.facts, name).privateKey, this.provider);
  }

  /** A new wallet with gas and so many tokens, and without approvals. */
  async newWallet(tokens: Amount = 0n): Promise<Wallet> {
    const wallet = new Wallet(`0x${randomBytes(32).toString('hex')}`, this.provider);
    await this.fund(wallet.address, tokens);
    return wallet;
  }

  /** Gives gas and so many tokens to an address. */
  async fund(address: string, tokens: Amount): Promise<void> {
    await this.provider.send('anvil_setBalance', [address, GAS_MONEY]);
    if (units(tokens) > 0n) await this.give(address, tokens);
  }

  /** Sends so many tokens of the faucet to this address. */
  give(to: string, tokens: Amount): Promise<void> {
    return this.#inTurn(() => this.transfer(this.#faucet, to, tokens));
  }

  /** The wallet sends its whole balance away. */
  async empty(wallet: Wallet): Promise<void> {
    await this.transfer(wallet, this.faucet, await this.balanceOf(wallet.address));
  }

  /** Resolves with the hash. */
  async transfer(wallet: Wallet, to: string, amount: Amount, token = this.token): Promise<string> {
    const data = erc20.encodeFunctionData('transfer', [to, units(amount)]);
    return (await this.send(wallet, { to: token, data })).hash;
  }

  /** Resolves with the hash. */
  async approve(wallet: Wallet, spender: string, amount: Amount, token = this.token): Promise<string> {
    const data = erc20.encodeFunctionData('approve', [spender, units(amount)]);
    return (await this.send(wallet, { to: token, data })).hash;
  }

  /** Sends a transaction. Throws if the chain does not accept it. */
  async send(wallet: Wallet, transaction: TransactionRequest): Promise<TransactionReceipt> {
    const { hash } = await wallet.sendTransaction(transaction);
    return receiptOf(this.provider, hash);
  }

  /** The token's issuer freezes or releases a wallet: while it is frozen its transfers revert. */
  setFrozen(address: string, isFrozen: boolean): Promise<void> {
    const data = erc20.encodeFunctionData('setFrozen', [address, isFrozen]);
    return this.#inTurn(() => this.send(this.#issuer, { to: this.token, data }));
  }

  balanceOf(address: string, token = this.token): Promise<bigint> {
    return this.#read(token, 'balanceOf', [address]);
  }

  allowance(owner: string, spender: string, token = this.token): Promise<bigint> {
    return this.#read(token, 'allowance', [owner, spender]);
  }

  async #read(to: string, name: 'balanceOf' | 'allowance', values: readonly string[]): Promise<bigint> {
    const data = erc20.encodeFunctionData(name, values);
    return BigInt(await this.provider.send('eth_call', [{ to, data }, 'latest']));
  }

  /** Every transfer of a token since the beginning, in the order of the chain. */
  transfers(token = this.token): Promise<Transfer[]> {
    return readTransfers(this.provider, token, [0, 'latest']);
  }

  /** What left a wallet in each transaction, base units, in order. A charge moves all shares in one. */
  async movedFrom(wallet: string, token = this.token): Promise<bigint[]> {
    return sumsByTransaction((await this.transfers(token)).filter(({ from }) => from === wallet));
  }

  /** What reached a wallet in each transaction, base units, in order. */
  async movedTo(wallet: string): Promise<bigint[]> {
    return sumsByTransaction((await this.transfers()).filter(({ to }) => to === wallet));
  }

  /**
   * Replaces the block of a transaction, and all above it, by as many others, as if nodes agreed on another branch.
   * `isDisplaced`: another transaction with its nonce replaces it, so that it can never land again.
   */
  async replaceBlockOf(txHash: string, { isDisplaced }: { readonly isDisplaced: boolean }): Promise<void> {
    const transaction = await this.provider.getTransaction(txHash);
    if (!transaction?.blockNumber || !transaction.blockHash) throw new Error(`${txHash} is in no block`);
    const rival = isDisplaced ? await rivalOf(transaction) : null;
    await this.#replaceBlock({ number: transaction.blockNumber, hash: transaction.blockHash }, rival);
  }

  /**
   * The first of the other blocks contains `rival`. The chain also makes blocks by itself: if one comes between the
   * request for the height and the replacement, the replacement misses the block and is repeated.
   */
  async #replaceBlock(block: { readonly number: number; readonly hash: string }, rival: string | null): Promise<void> {
    for (;;) {
      const height = Number(await this.provider.send('eth_blockNumber', []));
      await this.provider.send('anvil_reorg', [height - block.number + 1, rival === null ? [] : [[rival, 0]]]);
      const now = await this.provider.send('eth_getBlockByNumber', [toQuantity(block.number), false]);
      if (now?.hash !== block.hash) return;
    }
  }

  /** During `what`, no sender can pay for a transaction, so that charges wait and none is started. */
  async withoutGas<T>(what: () => Promise<T>): Promise<T> {
    const senders = [1, 2].map((number) => localKey(`sender ${number}`).address);
    const balances = await Promise.all(senders.map((sender) => this.provider.getBalance(sender)));
    const set = (balance: (index: number) => bigint) =>
      Promise.all(
        senders.map((sender, index) => this.provider.send('anvil_setBalance', [sender, toQuantity(balance(index))])),
      );
    try {
      await set(() => 0n);
      return await what();
    } finally {
      await set((index) => balances[index] ?? 0n);
    }
  }

  /** True if a transaction is in a block. */
  async has(txHash: string): Promise<boolean> {
    return (await this.provider.getTransactionReceipt(txHash)) !== null;
  }

  /** Makes so many empty blocks. */
  async mine(blocks: number): Promise<void> {
    for (let made = 0; made < blocks; made += 1) await this.provider.send('evm_mine', []);
  }

  close(): void {
    this.provider.destroy();
  }

  #inTurn(act: () => Promise<unknown>): Promise<void> {
    const sent = this.#sent.then(act);
    this.#sent = sent.catch(() => undefined);
    return sent.then(() => undefined);
  }
}

function sumsByTransaction(transfers: readonly Transfer[]): bigint[] {
  const sums = new Map<string, bigint>();
  for (const { txHash, value } of transfers) sums.set(txHash, (sums.get(txHash) ?? 0n) + value);
  return [...sums.values()];
}

/** The local chain makes blocks within a fraction of a second. */
const POLL_MS = 50;

/** A connection to the local chain without a cache. The caller must destroy it. */
export function connectTo({ rpcUrl, chainId }: Pick<DevnetFacts, 'rpcUrl' | 'chainId'>): JsonRpcProvider {
  return new JsonRpcProvider(rpcUrl, chainId, {
    staticNetwork: Network.from(chainId),
    cacheTimeout: -1,
    batchStallTime: 0,
    pollingInterval: POLL_MS,
  });
}
