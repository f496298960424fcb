import { createHash } from 'node:crypto';
import { startFaucet } from '../../../devnet/solana/faucet.ts';
import type { LocalChain } from '../../../devnet/solana/local-chain.ts';
import { callMethod, type MethodContext } from '../../../devnet/solana/methods.ts';
import type { TransactionRecord } from '../../../devnet/solana/records.ts';
import { testTokenProgram } from '../../../devnet/solana-world.ts';
import type { CatalogToken } from '../../../src/chains/catalog.ts';
import type { RpcTransport } from '../../../src/chains/rpc.ts';
import { AssociatedAccounts } from '../../../src/chains/solana/associated.ts';
import { toBase58 } from '../../../src/chains/solana/base58.ts';
import type { SolanaChainConfig } from '../../../src/chains/solana/chain.ts';
import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { readTokenAccount, type TokenAccount } from '../../../src/chains/solana/token-account.ts';
import type { SolanaWorld } from '../../../src/service/local-world.ts';
import { type Answer, answering, simTransport } from '../evm/transport.ts';
import type { SimSource } from '../evm/world.ts';
import type { Spender } from '../simulated-chain.ts';
import { GENESIS_HASH, groundedChain } from './ground.ts';
import { holdingData } from './holding.ts';

export interface SimSolanaOptions extends SimSource {
  /** 104 by default. */
  readonly chainId?: number;
  /** The duration of a slot, milliseconds of the given clock; 400 by default. */
  readonly slotMs?: number;
}

/** A change of an owner's token account by a successful transaction. Addresses are base58. */
export interface SimSolanaMovement {
  /** The mint. */
  readonly token: string;
  readonly owner: string;
  /** Base units; negative for outgoing amounts. */
  readonly amount: bigint;
  readonly signature: string;
  readonly slot: number;
  /** The memo of the transaction. The memo of a charge names its key. */
  readonly memo: string | null;
}

export interface SolanaGrant {
  readonly balance?: bigint;
  readonly allowance?: bigint;
}

/** The wanted changes of a token account. */
export interface HoldingChange {
  readonly balance?: bigint;
  /** The merchant whose delegate (mode `test`) the account has; null: no delegate. */
  readonly merchantId?: string | null;
  readonly allowance?: bigint;
  readonly isFrozen?: boolean;
}

const CHAIN_ID = 104;
const UNLIMITED = 2n ** 64n - 1n;
const MILLION = 1_000_000_000_000n;

/**
 * A simulated Solana node and its controls: the VM, the ledger and the JSON-RPC of the local devnet, in this process.
 * Slots follow from the given clock, and so do expiry and commitments. Transactions run only in `tick`.
 */
export class SimSolana {
  readonly world: SolanaWorld;
  /** The configuration of a `SolanaChain` without its deps; `openRpc` reaches the node. */
  readonly config: SolanaChainConfig;
  readonly chain: LocalChain;
  /** The node's answer to one JSON-RPC call. */
  readonly answer: Answer;
  /** The same answers as a transport without faults. */
  readonly transport: RpcTransport;
  readonly #context: MethodContext;
  readonly #delegates: Delegates;
  readonly #accounts = new AssociatedAccounts();
  readonly #end: () => void;
  #strangers = 0;

  constructor({ now, random, chainId = CHAIN_ID, slotMs = 400 }: SimSolanaOptions) {
    const { chain, world, end } = groundedChain({ seed: String(random()), slotMs, now });
    this.chain = chain;
    this.#end = end;
    this.world = world;
    this.config = configOf(world, chainId, slotMs);
    let faucet: MethodContext['airdrop'] | null = null;
    const airdrop: MethodContext['airdrop'] = (address, lamports) => {
      faucet ??= startFaucet(chain);
      return faucet(address, lamports);
    };
    this.#context = { chain, genesisHash: GENESIS_HASH, airdrop };
    this.#delegates = new Delegates(rootOfSeed(world.operatorSeed));
    this.answer = answering((method, params) => this.ask(method, params));
    this.transport = simTransport('simulated', this.answer);
  }

  /** The same answers; errors are thrown as RpcFault. */
  ask(method: string, params: readonly unknown[]): unknown {
    const result: unknown = callMethod(this.#context, method, params) ?? null;
    // Callers get a copy as over a network, never parts of the ledger.
    return JSON.parse(JSON.stringify(result));
  }

  /** The current slot. */
  get slot(): number {
    return this.chain.slots.slot();
  }

  /**
   * Runs the waiting transactions that have not expired, in the current slot. Returns how many transactions it contains
   * now.
   */
  tick(): number {
    return this.chain.carryOut();
  }

  /** Signatures of the waiting transactions, in the order of arrival. */
  pool(): string[] {
    return this.chain.waiting();
  }

  /** Removes a waiting transaction. False: it was not there. */
  drop(signature: string): boolean {
    return this.chain.lose(signature);
  }

  /** Accepts the next `count` transactions and never runs them. */
  dropNext(count: number): void {
    this.chain.drop(count);
  }

  /** Advances by so many slots. */
  skip(slots: number): void {
    this.chain.skip(slots);
  }

  /** Oldest first, without failed transactions. */
  movements(): SimSolanaMovement[] {
    return [...this.chain.records.all()].filter(({ err }) => err === null).flatMap(movementsOf);
  }

  balanceOf(wallet: string, ticker = 'USDC'): bigint {
    return this.#holding(this.#accountOf(wallet, ticker))?.amount ?? 0n;
  }

  /** The allowance of a delegate. */
  allowanceOf(wallet: string, spender: Spender, ticker = 'USDC'): bigint {
    const holding = this.#holding(this.#accountOf(wallet, ticker));
    return holding?.delegate === this.#delegateOf(spender) ? holding.delegatedAmount : 0n;
  }

  /** A new wallet with tokens and a merchant's delegate (mode `test`); by default without limits. */
  payer(merchantId: string, { balance = MILLION, allowance = UNLIMITED }: SolanaGrant = {}, ticker = 'USDC'): string {
    const wallet = this.stranger();
    this.put(wallet, { balance, merchantId: allowance > 0n ? merchantId : null, allowance }, ticker);
    return wallet;
  }

  /** Changes the wallet's token account at once, without a transaction. */
  put(wallet: string, change: HoldingChange, ticker = 'USDC'): void {
    const account = this.#accountOf(wallet, ticker);
    const before = this.#holding(account);
    const { merchantId, balance = before?.amount ?? 0n, allowance = before?.delegatedAmount ?? 0n } = change;
    const isFrozen = change.isFrozen ?? before?.state === 'frozen';
    const delegate = merchantId === undefined ? (before?.delegate ?? null) : this.#openDelegateOf(merchantId);
    const program = testTokenProgram(ticker);
    const data = holdingData(program, {
      mint: this.#mintOf(ticker),
      owner: wallet,
      amount: balance,
      delegate,
      delegatedAmount: delegate === null ? 0n : allowance,
      state: isFrozen ? 'frozen' : 'initialized',
    });
    const lamports = this.chain.minimumBalance(data.length);
    this.chain.found([[account, { lamports, owner: program, executable: false, data }]]);
  }

  /** A new wallet that nobody uses on this chain. */
  stranger(): string {
    this.#strangers += 1;
    return toBase58(createHash('sha256').update(`simulated stranger ${this.#strangers}`).digest());
  }

  /** Frees the chain, and keeps its VM for the next one. Call it once, after the last use. */
  close(): void {
    this.#end();
  }

  #openDelegateOf(merchantId: string | null): string | null {
    return merchantId === null ? null : this.#delegateOf({ merchantId, isBounded: false });
  }

  #delegateOf({ merchantId, isBounded }: Spender): string {
    return this.#delegates.of({ merchantId, mode: 'test' }, isBounded).address;
  }

  #holding(account: string): TokenAccount | null {
    const found = this.chain.account(account);
    return found && readTokenAccount(found.owner, found.data);
  }

  #accountOf(wallet: string, ticker: string): string {
    return this.#accounts.of(wallet, { mint: this.#mintOf(ticker), program: testTokenProgram(ticker), decimals: 6 });
  }

  #mintOf(ticker: string): string {
    const token = this.world.tokens.find((each) => each.ticker === ticker);
    if (!token) throw new Error(`The simulated chain has no ${ticker}`);
    return token.address;
  }
}

function configOf(world: SolanaWorld, chainId: number, blockMs: number): SolanaChainConfig {
  const tokens = world.tokens.map(({ ticker, decimals, address }): CatalogToken => {
    const key = `${ticker.toLowerCase()}-simulated-solana`;
    return { key, ticker, decimals, chainId, family: 'solana', address, symbols: [ticker] };
  });
  return {
    chain: { chainId, label: 'Simulated Solana', tokens, blockMs },
    rpcUrls: ['simulated'],
    genesisHash: world.genesisHash,
    delegates: new Delegates(rootOfSeed(world.operatorSeed)),
    confirmations: null,
  };
}

function movementsOf(record: TransactionRecord): SimSolanaMovement[] {
  const { signature, slot, memo, preTokenBalances: before, postTokenBalances: after } = record;
  return [...new Set([...before, ...after].map(({ accountIndex }) => accountIndex))].flatMap((index) => {
    const [was, is] = [before, after].map((list) => list.find(({ accountIndex }) => accountIndex === index));
    const { mint: token, owner } = is ?? was ?? { mint: '', owner: '' };
    const amount = BigInt(is?.uiTokenAmount.amount ?? 0) - BigInt(was?.uiTokenAmount.amount ?? 0);
    return amount === 0n ? [] : [{ token, owner, amount, signature, slot, memo }];
  });
}
