import { missingOf } from '../../../devnet/solana/genesis.ts';
import { LocalChain } from '../../../devnet/solana/local-chain.ts';
import { callMethod, type MethodContext } from '../../../devnet/solana/methods.ts';
import type { TransactionRecord } from '../../../devnet/solana/records.ts';
import { Vm } from '../../../devnet/solana/vm.ts';
import { solanaGenesisHash } from '../../../devnet/solana-marker.ts';
import { solanaWorld, testTokenProgram } from '../../../devnet/solana-world.ts';
import type { CatalogToken } from '../../../src/chains/catalog.ts';
import type { SolanaChainConfig } from '../../../src/chains/solana/chain.ts';
import { Delegates, rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { AssociatedAccounts, readTokenAccount } from '../../../src/chains/solana/token-account.ts';
import type { SolanaWorld } from '../../../src/service/local-world.ts';
import { type Answer, answering } from '../evm/transport.ts';
import type { SimSource } from '../evm/world.ts';
import type { Spender } from '../simulated-chain.ts';

/** A change of an owner's token account by a successful transaction. Addresses are base58. */
export interface SimSolanaMovement {
  readonly owner: string;
  /** Base units; negative for outgoing amounts. */
  readonly amount: bigint;
  readonly signature: string;
  readonly slot: number;
  /** The memo of the transaction. The memo of a charge names its key. */
  readonly memo: string | null;
}

const CHAIN_ID = 104;
const TICKER = 'USDC';
const FOLDER_ID = '5'.repeat(32);
const GENESIS_HASH = solanaGenesisHash(FOLDER_ID);

/** The same on every simulated chain, and derived once per process because that takes tens of milliseconds. */
let genesis: { readonly world: SolanaWorld; readonly accounts: ReturnType<typeof missingOf> } | undefined;

/** The VMs of ended chains, for reuse: a VM's memory outside of the heap is freed only by garbage collection. */
const idle: Vm[] = [];

/**
 * A simulated Solana node and its controls: the VM, the ledger and the JSON-RPC of the local devnet, in this process.
 * The given clock decides slots, expiry and commitments. A transaction runs only when the caller asks for it.
 */
export class SimSolana {
  readonly world: SolanaWorld;
  /** The configuration of a `SolanaChain` without its deps; `openRpc` reaches the node. */
  readonly config: SolanaChainConfig;
  readonly chain: LocalChain;
  /** The one token that is used. */
  readonly token: {
    readonly mint: string;
    readonly program: ReturnType<typeof testTokenProgram>;
    readonly decimals: 6;
  };
  /** Sees each transaction (base64) just before the chain does. */
  onSend: (raw: string) => void = () => undefined;
  /** The node's answer to one JSON-RPC call. */
  readonly answer: Answer;
  readonly #context: MethodContext;
  readonly #delegates: Delegates;
  readonly #accounts = new AssociatedAccounts();
  readonly #vm: Vm;

  /** @param slotMs the duration of a slot, milliseconds of the given clock */
  constructor({ now, random }: SimSource, slotMs: number) {
    const head = { product: 'tideline local solana', folderId: FOLDER_ID, startedAt: now(), slotMs } as const;
    this.#vm = idle.pop() ?? new Vm();
    // The seed decides the blockhashes.
    const seed = String(random());
    this.chain = new LocalChain({ path: null, head: { ...head, seed }, now, carriesOut: false, vm: this.#vm });
    genesis ??= { world: solanaWorld('simulated', GENESIS_HASH), accounts: missingOf(this.chain) };
    this.chain.found(genesis.accounts);
    this.world = genesis.world;
    this.#delegates = new Delegates(rootOfSeed(this.world.operatorSeed));
    const mint = this.world.tokens.find(({ ticker }) => ticker === TICKER)?.address ?? '';
    this.token = { mint, program: testTokenProgram(TICKER), decimals: 6 };
    this.config = configOf(this.world, mint, this.#delegates, slotMs);
    this.#context = { chain: this.chain, genesisHash: GENESIS_HASH, airdrop: noAirdrop };
    this.answer = answering((method, params) => this.ask(method, params));
  }

  /** The same answers; errors are thrown as RpcFault. */
  ask(method: string, params: readonly unknown[]): unknown {
    if (method === 'sendTransaction') this.onSend(String(params[0]));
    const result: unknown = callMethod(this.#context, method, params) ?? null;
    // Callers get a copy as over a network, never parts of the ledger.
    return JSON.parse(JSON.stringify(result));
  }

  /** Of the token; oldest first, without failed transactions. */
  movements(): SimSolanaMovement[] {
    return [...this.chain.records.all()]
      .filter(({ err }) => err === null)
      .flatMap((record) => movementsOf(record, this.token.mint));
  }

  balanceOf(wallet: string): bigint {
    return this.#holding(wallet)?.amount ?? 0n;
  }

  allowanceOf(wallet: string, spender: Spender): bigint {
    const holding = this.#holding(wallet);
    return holding?.delegate === this.delegateOf(spender) ? holding.delegatedAmount : 0n;
  }

  delegateOf({ merchantId, isBounded }: Spender): string {
    return this.#delegates.of({ merchantId, mode: 'test' }, isBounded).address;
  }

  accountOf(wallet: string): string {
    return this.#accounts.of(wallet, this.token);
  }

  /** Frees the chain, and keeps its VM for the next one. Call it once, after the last use. */
  close(): void {
    this.chain.empty();
    idle.push(this.#vm);
  }

  #holding(wallet: string) {
    const found = this.chain.account(this.accountOf(wallet));
    return found && readTokenAccount(found.owner, found.data);
  }
}

function configOf(
  { genesisHash }: SolanaWorld,
  address: string,
  delegates: Delegates,
  blockMs: number,
): SolanaChainConfig {
  const token: CatalogToken = {
    key: `${TICKER.toLowerCase()}-simulated-solana`,
    ticker: TICKER,
    decimals: 6,
    chainId: CHAIN_ID,
    family: 'solana',
    address,
    symbols: [TICKER],
  };
  return {
    chain: { chainId: CHAIN_ID, label: 'Simulated Solana', tokens: [token], blockMs },
    rpcUrls: ['simulated'],
    genesisHash,
    delegates,
    confirmations: null,
  };
}

function noAirdrop(): never {
  throw new Error('nobody needs lamports on a simulated chain');
}

function movementsOf(record: TransactionRecord, mint: string): SimSolanaMovement[] {
  const { signature, slot, memo, preTokenBalances: before, postTokenBalances: after } = record;
  return [...new Set([...before, ...after].map(({ accountIndex }) => accountIndex))].flatMap((index) => {
    const [was, is] = [before, after].map((list) => list.find(({ accountIndex }) => accountIndex === index));
    const { mint: token, owner } = is ?? was ?? { mint: '', owner: '' };
    const amount = BigInt(is?.uiTokenAmount.amount ?? 0) - BigInt(was?.uiTokenAmount.amount ?? 0);
    return amount === 0n || token !== mint ? [] : [{ owner, amount, signature, slot, memo }];
  });
}
