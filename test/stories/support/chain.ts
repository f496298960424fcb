import { randomBytes } from 'node:crypto';
import { Interface, type JsonRpcProvider, parseUnits, type TransactionResponse, toBeHex, Wallet } from 'ethers';
import { localKey } from '../../../devnet/evm-wallets.ts';
import { type DevnetFacts, tokenNamed, walletNamed } from '../../../scripts/lib/devnet-facts.ts';
import { connectTo } from '../../../stage/connect.ts';
import { replaceBlock } from '../../../stage/replace-block.ts';
import { PLAYING_TOKEN_KEY } from '../../../stage/sale.ts';
import { until } from '../../../stage/until.ts';

/** The stories' token has cents and four digits more. */
const DECIMALS = 6;

/** The key that may freeze wallets, like the issuer of a stablecoin. */
const ISSUER = localKey(`maker of the test token USDC with ${DECIMALS} decimals`);

/** The wallet with everybody's first tokens. */
const BANK = 'payer-10';

const GAS_MONEY = toBeHex(10n ** 18n);

const erc20 = new Interface([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  'function setFrozen(address account, bool value)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

/** One Transfer log of the stories' token. Addresses are checksummed, `amount` is in base units. */
export interface Transfer {
  readonly txHash: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** `9.90` → base units of the stories' token. */
export function units(amount: string): bigint {
  return parseUnits(amount, DECIMALS);
}

/** The reverse, with two decimals: `9.90`. Throws for less than a cent, which no story moves. */
export function inTokens(amount: bigint): string {
  const cents = amount / 10_000n;
  if (cents * 10_000n !== amount) throw new Error(`${amount} base units are no whole cents`);
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

/** The senders of the local chain. */
const SENDERS = Array.from({ length: 8 }, (_, index) => localKey(`sender ${index + 1}`).privateKey);

/** Another transaction of the sender with the same nonce: a transfer of zero to itself. */
function rivalOf({ from, nonce, chainId }: TransactionResponse): Promise<string> {
  const sender = SENDERS.map((key) => new Wallet(key)).find(({ address }) => address === from);
  if (!sender) throw new Error(`${from} is none of the local senders`);
  const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n };
  return sender.signTransaction({ type: 2, chainId, nonce, to: from, gasLimit: 21_000n, ...fees });
}

/** The local chain as wallets and block explorers see it, without any part of the service. */
export class Chain {
  readonly platform: string;
  /** The router of all charges. */
  readonly router: string;
  readonly #provider: JsonRpcProvider;
  readonly #token: string;
  readonly #bank: Wallet;
  readonly #issuer: Wallet;
  /** Transactions of one wallet are sent one after the other, even if stories run at the same time. */
  #sent: Promise<unknown> = Promise.resolve();

  constructor(facts: DevnetFacts) {
    this.#provider = connectTo(facts);
    this.#token = tokenNamed(facts, PLAYING_TOKEN_KEY);
    this.#bank = new Wallet(walletNamed(facts, BANK).privateKey, this.#provider);
    this.#issuer = new Wallet(ISSUER.privateKey, this.#provider);
    this.platform = walletNamed(facts, 'platform').address;
    this.router = facts.router;
  }

  /** A new wallet with gas and so many tokens. */
  async newWallet(tokens: string): Promise<Wallet> {
    const wallet = new Wallet(`0x${randomBytes(32).toString('hex')}`, this.#provider);
    await this.#provider.send('anvil_setBalance', [wallet.address, GAS_MONEY]);
    if (units(tokens) > 0n) await this.give(wallet.address, tokens);
    return wallet;
  }

  /** Sends so many tokens to this address. Resolves when that is in a block, like all methods here. */
  give(to: string, tokens: string): Promise<void> {
    return this.#inTurn(() => this.#send(this.#bank, 'transfer', [to, units(tokens)]));
  }

  /** The wallet sends its whole balance away. */
  /** Wallets are filled from here, and emptied to it. */
  get bank(): string {
    return this.#bank.address;
  }

  async empty(wallet: Wallet): Promise<void> {
    await this.#send(wallet, 'transfer', [this.#bank.address, await this.balanceOf(wallet.address)]);
  }

  async approve(wallet: Wallet, spender: string, tokens: string): Promise<void> {
    await this.#send(wallet, 'approve', [spender, units(tokens)]);
  }

  /** The token's issuer freezes or releases a wallet: while it is frozen its transfers revert. */
  setFrozen(address: string, isFrozen: boolean): Promise<void> {
    return this.#inTurn(() => this.#send(this.#issuer, 'setFrozen', [address, isFrozen]));
  }

  async balanceOf(address: string): Promise<bigint> {
    const data = erc20.encodeFunctionData('balanceOf', [address]);
    return BigInt(await this.#provider.send('eth_call', [{ to: this.#token, data }, 'latest']));
  }

  /** Every transfer of the token since the beginning, in the order of the chain. */
  async transfers(): Promise<Transfer[]> {
    const topic = erc20.getEvent('Transfer')?.topicHash ?? null;
    const logs = await this.#provider.getLogs({ address: this.#token, topics: [topic], fromBlock: 0 });
    return logs.flatMap((log) => {
      const { from, to, value } = erc20.parseLog(log)?.args.toObject() ?? {};
      return [{ txHash: log.transactionHash, from: String(from), to: String(to), amount: BigInt(value) }];
    });
  }

  /**
   * Replaces the block of a transaction, and all above it, by as many others, as if nodes agreed on another branch.
   * `isDisplaced`: another transaction with its nonce replaces it, so that it can never land again.
   */
  async replacesBlockOf(txHash: string, { isDisplaced }: { readonly isDisplaced: boolean }): Promise<void> {
    const transaction = await this.#provider.getTransaction(txHash);
    if (!transaction?.blockNumber || !transaction.blockHash) throw new Error(`${txHash} is in no block`);
    const rival = isDisplaced ? await rivalOf(transaction) : null;
    await replaceBlock(this.#provider, { number: transaction.blockNumber, hash: transaction.blockHash }, rival);
  }

  /** True if a transaction is in a block. */
  async has(txHash: string): Promise<boolean> {
    return (await this.#provider.getTransactionReceipt(txHash)) !== null;
  }

  /** Makes so many empty blocks. */
  async goesOn(blocks: number): Promise<void> {
    for (let made = 0; made < blocks; made += 1) await this.#provider.send('evm_mine', []);
  }

  close(): void {
    this.#provider.destroy();
  }

  #inTurn(send: () => Promise<void>): Promise<void> {
    const sent = this.#sent.then(send);
    this.#sent = sent.catch(() => undefined);
    return sent;
  }

  async #send(from: Wallet, name: string, values: readonly unknown[]): Promise<void> {
    const { hash } = await from.sendTransaction({ to: this.#token, data: erc20.encodeFunctionData(name, values) });
    const receipt = await until(
      `${hash} is in a block`,
      () => this.#provider.getTransactionReceipt(hash),
      (found) => found !== null,
    );
    if (receipt?.status !== 1) throw new Error(`${name} of ${from.address} was not accepted by the chain: ${hash}`);
  }
}
