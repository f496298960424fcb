import { AddressLookupTableAccount, type VersionedMessage } from '@solana/web3.js';
import { fromBase58, toBase58 } from '../../src/chains/solana/keys.ts';
import { MEMO_PROGRAM } from '../../src/chains/solana/programs.ts';
import { readMint, readTokenAccount } from '../../src/chains/solana/token-account.ts';
import { feeOf } from './fees.ts';
import { type AccountLine, accountLine, accountOf, Journal, type JournalEntry, type JournalHead } from './journal.ts';
import { Records, type TokenBalance, type TransactionRecord, uiAmount } from './records.ts';
import { COMMITMENT_LAG, type Commitment, Slots } from './slots.ts';
import { Vm, type VmAccount, type VmOutcome, type VmSimulation } from './vm.ts';
import { accountsOf, type Loaded, loadedOf, readTransaction, type WireTransaction } from './wire-transaction.ts';

export interface LocalChainOptions {
  /** The file of the chain; null: it is not kept. */
  readonly path: string | null;
  /** The head of a new chain; an existing one keeps its own. */
  readonly head: JournalHead;
  /** Milliseconds of Unix time. */
  readonly now: () => number;
  /** True to run accepted transactions automatically after a moment; true by default. */
  readonly carriesOut?: boolean;
  /** A new VM by default, or one whose former chain was emptied. */
  readonly vm?: Vm;
}

/** Transactions within this time share a block. */
const GATHER_MS = 5;
/** A larger journal is rewritten when it is opened. */
const COMPACT_BYTES = 64_000_000;

/**
 * A Solana chain on this machine: the VM, and around it the blocks and records of a chain. Accounts are always in their
 * current state, because nothing is ever undone; a commitment only decides when a transaction becomes visible.
 */
export class LocalChain {
  readonly slots: Slots;
  readonly records = new Records();
  readonly #vm: Vm;
  readonly #journal: Journal | null;
  readonly #head: JournalHead;
  readonly #now: () => number;
  readonly #carriesOut: boolean;
  /** Every account that ever changed; not the accounts of the VM's own programs. */
  readonly #touched = new Set<string>();
  readonly #tokenAccounts = new Map<string, Set<string>>();
  /** Accepted transactions that are not in a block yet. */
  #queue = new Map<string, WireTransaction>();
  #timer: NodeJS.Timeout | null = null;
  #skipped = 0;
  #toDrop = 0;
  #holding = false;

  /** @throws DevnetError if the file cannot be read */
  constructor({ path, head, now, carriesOut = true, vm = new Vm() }: LocalChainOptions) {
    this.#vm = vm;
    this.#now = now;
    this.#carriesOut = carriesOut;
    let lastSlot = 0;
    const take = (entry: JournalEntry): void => {
      for (const line of entry.accounts) this.#put(line[0], accountOf(line));
      for (const record of entry.transactions) this.records.add(record);
      this.#skipped = entry.skipped;
      lastSlot = entry.slot;
    };
    const opened = path === null ? { journal: null, head, bytes: 0 } : Journal.open(path, head, take);
    this.#journal = opened.journal;
    this.#head = opened.head;
    this.slots = new Slots(opened.head, this.#skipped, now);
    this.slots.atLeast(lastSlot);
    if (opened.bytes > COMPACT_BYTES) this.#compact();
  }

  account(address: string): VmAccount | null {
    return this.#vm.account(address);
  }

  tokenAccountsOf(owner: string): string[] {
    return [...(this.#tokenAccounts.get(owner) ?? [])];
  }

  minimumBalance(bytes: number): bigint {
    return this.#vm.minimumBalance(bytes);
  }

  /** Creates accounts without transactions, as a genesis does; they are kept like all others. */
  found(accounts: readonly (readonly [string, VmAccount])[]): void {
    if (accounts.length === 0) return;
    this.#keep([], () => accounts.map(([address, account]) => accountLine(address, account)));
    for (const [address, account] of accounts) this.#put(address, account);
  }

  /** The result of a transaction if it ran now. `anyBlockhash`: its blockhash is not checked. */
  simulate(
    bytes: Uint8Array,
    how: { readonly verifySignatures: boolean; readonly anyBlockhash: boolean },
  ): VmSimulation {
    const transaction = readTransaction(bytes);
    if (!how.anyBlockhash && !this.#isRecent(transaction)) return neverLands('BlockhashNotFound');
    if (how.verifySignatures && this.records.get(transaction.signature)) return neverLands('AlreadyProcessed');
    this.#setClock();
    return this.#vm.simulate(bytes, how.verifySignatures);
  }

  /** Accepts a transaction for the next block, and returns its signature. A waiting one keeps its position. */
  send(bytes: Uint8Array): string {
    const transaction = readTransaction(bytes);
    const { signature } = transaction;
    if (this.#toDrop > 0) {
      this.#toDrop -= 1;
      return signature;
    }
    if (!this.records.get(signature) && !this.#queue.has(signature)) this.#queue.set(signature, transaction);
    this.#arm();
    return signature;
  }

  /** Accepts the next `count` transactions and never runs them, like a network that loses some. */
  drop(count: number): void {
    this.#toDrop = count;
  }

  /** Signatures of waiting transactions, in the order of arrival. */
  waiting(): string[] {
    return [...this.#queue.keys()];
  }

  /** Removes a waiting transaction. False: it was not there. */
  lose(signature: string): boolean {
    return this.#queue.delete(signature);
  }

  /** While on, transactions wait. */
  hold(on: boolean): void {
    this.#holding = on;
    if (!on) this.#arm();
  }

  /** The version that a transaction is shown with, by signature. It may be one that the VM could not run. */
  readonly shownAs = new Map<string, number>();

  skip(slots: number): void {
    this.#skipped += slots;
    this.slots.skip(slots);
    this.#keep([], () => []);
  }

  isAt(record: TransactionRecord, commitment: Commitment): boolean {
    return record.slot <= this.slots.slot() - COMMITMENT_LAG[commitment];
  }

  /** The amounts of a mint in the form of the RPC; null: it is not a mint. */
  mintOf(address: string) {
    const account = this.account(address);
    return account && readMint(account.owner, account.data);
  }

  /** Runs the waiting transactions, and closes the journal. */
  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#holding = false;
    this.carryOut();
    this.#journal?.close();
  }

  /** Closes the chain and removes its accounts from the VM, which is then like a new one. */
  empty(): void {
    this.close();
    for (const address of this.#touched) this.#vm.put(address, null);
  }

  #arm(): void {
    if (!this.#carriesOut || this.#holding || this.#queue.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.carryOut();
    }, GATHER_MS);
  }

  /** Runs the waiting transactions now, unless held. Returns their number. Synchronous: nobody sees unsaved changes. */
  carryOut(): number {
    if (this.#holding || this.#queue.size === 0) return 0;
    const queue = [...this.#queue.values()];
    this.#queue = new Map();
    const slot = this.slots.slot();
    this.#setClock();
    const changed = new Set<string>();
    const transactions = queue.flatMap((transaction) => this.#execute(transaction, slot, changed) ?? []);
    if (transactions.length === 0) return 0;
    this.#keep(transactions, () => [...changed].map((address) => accountLine(address, this.account(address))));
    for (const record of transactions) this.records.add(record);
    return transactions.length;
  }

  #keep(transactions: readonly TransactionRecord[], accounts: () => AccountLine[]): void {
    if (this.#journal === null) return;
    const slot = transactions[0]?.slot ?? this.slots.slot();
    this.#journal.append({ slot, transactions, accounts: accounts(), skipped: this.#skipped });
  }

  /** Null: no block contains it. */
  #execute(transaction: WireTransaction, slot: number, changed: Set<string>): TransactionRecord | null {
    if (!this.#isRecent(transaction)) return null;
    const loaded = this.#loaded(transaction);
    const accounts = accountsOf(transaction, loaded);
    const addresses = accounts.map(({ address }) => address);
    const before = this.#balances(addresses);
    const outcome = this.#vm.execute(transaction.bytes);
    if (!outcome.landed) return null;
    for (const { address, isWritable } of accounts) {
      if (!isWritable) continue;
      changed.add(address);
      this.#note(address, this.account(address));
    }
    const after = this.#balances(addresses);
    return this.#record(transaction, { slot, loaded, addresses, before, after, outcome });
  }

  #record(
    transaction: WireTransaction,
    done: {
      readonly slot: number;
      readonly loaded: Loaded;
      readonly addresses: readonly string[];
      readonly before: Balances;
      readonly after: Balances;
      readonly outcome: VmOutcome;
    },
  ): TransactionRecord {
    const { slot, loaded, addresses, before, after, outcome } = done;
    const { decoded, bytes, signature } = transaction;
    return {
      signature,
      slot,
      time: this.#seconds(),
      raw: Buffer.from(bytes).toString('base64'),
      version: decoded.version,
      accounts: addresses,
      loaded,
      memo: memoOf(decoded.message, addresses),
      err: outcome.err,
      fee: feeOf(decoded.message),
      units: outcome.units,
      logs: outcome.logs,
      inner: outcome.inner.flatMap((instructions, index) =>
        instructions.length === 0 ? [] : [{ index, instructions }],
      ),
      preBalances: before.lamports,
      postBalances: after.lamports,
      preTokenBalances: before.tokens,
      postTokenBalances: after.tokens,
    };
  }

  #balances(addresses: readonly string[]): Balances {
    const lamports: number[] = [];
    const tokens: TokenBalance[] = [];
    for (const [accountIndex, address] of addresses.entries()) {
      const account = this.account(address);
      lamports.push(Number(account?.lamports ?? 0n));
      const token = account && readTokenAccount(account.owner, account.data);
      if (!account || !token) continue;
      const { mint, owner, amount } = token;
      const decimals = this.mintOf(mint)?.decimals ?? 0;
      tokens.push({ accountIndex, mint, owner, programId: account.owner, uiTokenAmount: uiAmount(amount, decimals) });
    }
    return { lamports, tokens };
  }

  #loaded(transaction: WireTransaction): Loaded {
    return loadedOf(transaction, (address) => {
      const account = this.account(address);
      if (account?.owner !== LOOKUP_TABLE_PROGRAM) return null;
      return AddressLookupTableAccount.deserialize(account.data).addresses;
    });
  }

  #isRecent({ decoded }: WireTransaction): boolean {
    return this.slots.isRecent(decoded.message.recentBlockhash, this.slots.slot());
  }

  #put(address: string, account: VmAccount | null): void {
    this.#vm.put(address, account);
    this.#note(address, account);
  }

  #note(address: string, account: VmAccount | null): void {
    this.#touched.add(address);
    const token = account && readTokenAccount(account.owner, account.data);
    if (!token) return;
    const owned = this.#tokenAccounts.get(token.owner);
    if (owned) owned.add(address);
    else this.#tokenAccounts.set(token.owner, new Set([address]));
  }

  #setClock(): void {
    this.#vm.setClock(this.slots.slot(), this.#seconds());
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1000);
  }

  #compact(): void {
    const slot = this.slots.slot();
    const accounts: AccountLine[] = [...this.#touched].map((address) => accountLine(address, this.account(address)));
    const entries = function* (records: Records, skipped: number) {
      yield { slot, transactions: [], accounts, skipped };
      for (const record of records.all()) yield { slot: record.slot, transactions: [record], accounts: [], skipped };
    };
    this.#journal?.replace(this.#head, entries(this.records, this.#skipped));
  }
}

const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';

interface Balances {
  readonly lamports: readonly number[];
  readonly tokens: readonly TokenBalance[];
}

function neverLands(err: string): VmSimulation {
  return { landed: false, err, logs: [], units: 0, inner: [], returnData: null, after: new Map() };
}

/** An address in its canonical form; null: it is not an address. */
export function readAddress(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > 44) return null;
  const bytes = fromBase58(text);
  return bytes?.length === 32 ? toBase58(bytes) : null;
}

const MEMO_PROGRAMS = new Set([MEMO_PROGRAM, 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo']);

/** The memos of a transaction in the format of the RPC's signature lists: `[bytes] text`, joined by `; `. */
function memoOf(message: VersionedMessage, accounts: readonly string[]): string | null {
  const memos = message.compiledInstructions
    .filter(({ programIdIndex }) => MEMO_PROGRAMS.has(accounts[programIdIndex] ?? ''))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length === 0 ? null : memos.join('; ');
}
