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
import { readTokenAccount, type TokenAccount } from '../../../src/chains/solana/token-account.ts';
import type { SolanaWorld } from '../../../src/service/local-world.ts';
import { type Answer, answering, simTransport } from '../evm/transport.ts';
import type { SimSource } from '../evm/world.ts';
import { GENESIS_HASH, groundedChain } from './ground.ts';
import { holdingData } from './holding.ts';

export interface SimSolanaOptions extends SimSource {
  /** 104 by default. */
  readonly chainId?: number;
  /** How long a slot is, milliseconds of the clock given; 400 by default. */
  readonly slotMs?: number;
}

/** What has left an owner's token account, or come into it, in a transaction that has landed. Addresses are base58. */
export interface SimSolanaMovement {
  /** The mint. */
  readonly token: string;
  readonly owner: string;
  /** Base units; negative: has left. */
  readonly amount: bigint;
  readonly signature: string;
  readonly slot: number;
  /** What the transaction says of itself: a charge of the product names its key. */
  readonly memo: string | null;
}

export interface SolanaGrant {
  readonly balance?: bigint;
  readonly allowance?: bigint;
}

/** What is to change of a token account. */
export interface HoldingChange {
  readonly balance?: bigint;
  /** Whose delegate (mode `test`) it has; null: nobody's. */
  readonly merchantId?: string | null;
  readonly allowance?: bigint;
  readonly isFrozen?: boolean;
}

/**
 * A simulated Solana node, and the controls of whoever drives it: the VM, the ledger and the JSON-RPC of the local devnet in this
 * process. Slots, and with them expiry and commitments, follow from the clock given; nothing is carried out before `tick`.
 */
export interface SimSolana {
  readonly world: SolanaWorld;
  /** What a `SolanaChain` is configured with, apart from its deps; `openRpc` is what reaches the node. */
  readonly config: SolanaChainConfig;
  /** The ledger itself. */
  readonly chain: LocalChain;
  /** What the node says to one JSON-RPC call. */
  readonly answer: Answer;
  /** The same, thrown as RpcFault where it is an error. */
  ask(method: string, params: readonly unknown[]): unknown;
  /** The same as a transport without faults. */
  readonly transport: RpcTransport;
  /** The slot of the present. */
  readonly slot: number;
  /** Carries out what waits and has not expired, in the slot of the present; how many transactions are in it now. */
  tick(): number;
  /** Signatures of what waits, in the order of arrival. */
  pool(): readonly string[];
  /** Loses one that waits; false: none of this name does. */
  drop(signature: string): boolean;
  /** The next `count` transactions are taken and never carried out. */
  dropNext(count: number): void;
  /** Jumps ahead by so many slots. */
  skip(slots: number): void;
  /** Oldest first; of transactions that have not failed. */
  movements(): SimSolanaMovement[];
  balanceOf(wallet: string, ticker?: string): bigint;
  /** What the delegate of a merchant (mode `test`) may take. */
  allowanceOf(wallet: string, merchantId: string, ticker?: string): bigint;
  /** A wallet with tokens that has a merchant's delegate (mode `test`), from now on; without limits unless said otherwise. */
  payer(merchantId: string, grant?: SolanaGrant, ticker?: string): string;
  /** At once, besides all rules, as a genesis does it: how the wallet's token account is from now on. */
  put(wallet: string, change: HoldingChange, ticker?: string): void;
  /** A wallet of nobody's that exists nowhere else on this chain. */
  stranger(): string;
  /** Once, when nothing of it is used any more: its VM is the next one's. */
  close(): void;
}

const CHAIN_ID = 104;
const UNLIMITED = 2n ** 64n - 1n;
const MILLION = 1_000_000_000_000n;

export function createSimSolana(options: SimSolanaOptions): SimSolana {
  return new Node(options);
}

class Node implements SimSolana {
  readonly world: SolanaWorld;
  readonly config: SolanaChainConfig;
  readonly chain: LocalChain;
  readonly answer: Answer;
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
    this.#delegates = new Delegates(world.operatorSeed);
    this.answer = answering((method, params) => this.ask(method, params));
    this.transport = simTransport('simulated', this.answer);
  }

  ask(method: string, params: readonly unknown[]): unknown {
    const result: unknown = callMethod(this.#context, method, params) ?? null;
    // Whoever asks gets what a network would have carried, and nothing of the ledger itself.
    return JSON.parse(JSON.stringify(result));
  }

  get slot(): number {
    return this.chain.slots.slot();
  }

  tick(): number {
    return this.chain.carryOut();
  }

  pool(): string[] {
    return this.chain.waiting();
  }

  drop(signature: string): boolean {
    return this.chain.lose(signature);
  }

  dropNext(count: number): void {
    this.chain.drop(count);
  }

  skip(slots: number): void {
    this.chain.skip(slots);
  }

  movements(): SimSolanaMovement[] {
    return [...this.chain.records.all()].filter(({ err }) => err === null).flatMap(movementsOf);
  }

  balanceOf(wallet: string, ticker = 'USDC'): bigint {
    return this.#holding(this.#accountOf(wallet, ticker))?.amount ?? 0n;
  }

  allowanceOf(wallet: string, merchantId: string, ticker = 'USDC'): bigint {
    const holding = this.#holding(this.#accountOf(wallet, ticker));
    return holding?.delegate === this.#delegateOf(merchantId) ? holding.delegatedAmount : 0n;
  }

  payer(merchantId: string, { balance = MILLION, allowance = UNLIMITED }: SolanaGrant = {}, ticker = 'USDC'): string {
    const wallet = this.stranger();
    this.put(wallet, { balance, merchantId: allowance > 0n ? merchantId : null, allowance }, ticker);
    return wallet;
  }

  put(wallet: string, change: HoldingChange, ticker = 'USDC'): void {
    const account = this.#accountOf(wallet, ticker);
    const before = this.#holding(account);
    const { merchantId, balance = before?.amount ?? 0n, allowance = before?.delegatedAmount ?? 0n } = change;
    const isFrozen = change.isFrozen ?? before?.state === 'frozen';
    const delegate = merchantId === undefined ? (before?.delegate ?? null) : this.#delegateOf(merchantId);
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

  stranger(): string {
    this.#strangers += 1;
    return toBase58(createHash('sha256').update(`simulated stranger ${this.#strangers}`).digest());
  }

  close(): void {
    this.#end();
  }

  #delegateOf(merchantId: string | null): string | null {
    return merchantId === null ? null : this.#delegates.of(merchantId, 'test').address;
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
    operatorSeed: world.operatorSeed,
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
