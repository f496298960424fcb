import { hexlify } from 'ethers';
import { baseFeeAfter, type Done, type Landed, type ReorgHow, type SimBlock } from './blocks.ts';
import { codeHashOf, Draft, Ledger, nonceOf, type ReadCell, weiOf } from './cells.ts';
import { BLOCK_GAS_LIMIT, type BlockNow, execute } from './execute.ts';
import { type Account, Pool } from './pool.ts';
import { codeAt, putCode } from './state.ts';
import { type SimTransaction, tipOf } from './transaction.ts';
import { digestOf, type SimSource } from './world.ts';

const FIRST_BASE_FEE = 1_000_000_000n;

/** Blocks, the state after each, and the pool. */
export class SimChain {
  readonly pool = new Pool(BLOCK_GAS_LIMIT);
  readonly ledger = new Ledger();
  readonly blocks: SimBlock[] = [];
  readonly #source: SimSource;
  readonly #byHash = new Map<string, Landed>();
  /** What no block contains, by the name of the cell: given code. */
  readonly #given = new Map<string, bigint>();
  /** A part of the hash, so that the blocks after a reorganisation have other hashes. */
  #fork = 0;
  /** Wei per gas in the next block. */
  nextBaseFee = FIRST_BASE_FEE;

  /** Blocks are made and replaced one after the other. */
  #making: Promise<unknown> = Promise.resolve();

  /** @param genesis the cells of the first block */
  constructor(source: SimSource, genesis: ReadonlyMap<string, bigint>) {
    this.#source = source;
    this.ledger.apply(0, genesis);
    this.#close(this.#blockNow(0, this.#seconds()), [], 0);
  }

  get head(): SimBlock {
    const last = this.blocks.at(-1);
    if (last === undefined) throw new Error('a chain has a first block');
    return last;
  }

  landed(hash: string): Landed | undefined {
    return this.#byHash.get(hash);
  }

  /** A cell at the end of a block; by default the newest. */
  read(name: string, block?: number): bigint {
    return this.ledger.get(name, block) + (this.#given.get(name) ?? 0n);
  }

  account(address: string): Account {
    return { nonce: Number(this.read(nonceOf(address))), wei: this.read(weiOf(address)) };
  }

  /** Gives an address another code (0x-hex), as of all blocks. */
  setCode(account: string, code: string): void {
    const name = codeHashOf(account);
    const draft = new Draft(() => 0n);
    putCode(draft, account, code);
    this.#given.set(name, draft.get(name) - this.ledger.get(name));
  }

  /** The code at an address, 0x-hex. */
  codeOf(account: string): string {
    return hexlify(codeAt((name) => this.read(name), account));
  }

  /** Reads cells as of the end of a block. */
  readerAt(block: SimBlock): ReadCell {
    return (name) => this.read(name, block.number);
  }

  /** Makes a block of the waiting transactions that fit and pay. */
  mine(most = Number.POSITIVE_INFINITY): Promise<SimBlock> {
    return this.#inTurn(() => this.#make(this.#seconds(), (draft) => this.#choose(draft, most)));
  }

  /** Replaces the newest `depth` blocks, but never the first one, by as many new blocks. */
  reorg(depth: number, how: ReorgHow): Promise<void> {
    return this.#inTurn(() => this.#replace(depth, how));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#making.then(work);
    this.#making = done.catch(() => undefined);
    return done;
  }

  async #replace(depth: number, how: ReorgHow): Promise<void> {
    const removed = this.blocks.splice(Math.max(1, this.blocks.length - depth));
    this.#fork += 1;
    for (const block of removed.toReversed()) {
      this.ledger.undo(block.number);
      for (const { transaction } of block.landed) this.#byHash.delete(transaction.hash);
    }
    this.nextBaseFee = baseFeeAfter(this.head);
    if (how !== 'again') this.#takeBack(removed, how === 'never');
    for (const [index, { timestamp, landed }] of removed.entries()) {
      const same = landed.map(({ transaction }) => transaction);
      await this.#make(timestamp, (draft) => {
        if (how === 'again') return same;
        return how === 'reordered' && index === 0 ? this.#shuffled(draft) : [];
      });
    }
  }

  /** Returns transactions to the pool unless another one has their nonce; with `ownOnly`, only the wallets' own. */
  #takeBack(blocks: readonly SimBlock[], ownOnly: boolean): void {
    for (const { transaction } of blocks.flatMap(({ landed }) => landed)) {
      const { from, nonce } = transaction;
      const isTaken = nonce !== null && (ownOnly || this.pool.at(from, nonce) !== undefined);
      if (!isTaken) this.pool.put(transaction);
    }
  }

  /** As `#choose`, but sender by sender, in random order. */
  *#shuffled(draft: Draft): Generator<SimTransaction> {
    const waiting = [...this.pool.all()];
    for (const transaction of waiting) if (transaction.nonce === null) yield transaction;
    const senders = [...new Set(waiting.flatMap(({ from, nonce }) => (nonce === null ? [] : [from])))];
    let left = BLOCK_GAS_LIMIT;
    while (senders.length > 0) {
      const [sender] = senders.splice(Math.floor(this.#source.random() * senders.length), 1);
      for (let next = this.#best([sender ?? ''], draft, left); next; next = this.#best([sender ?? ''], draft, left)) {
        left -= next.gasLimit;
        yield next;
      }
    }
  }

  async #make(timestamp: number, choose: (draft: Draft) => Iterable<SimTransaction>): Promise<SimBlock> {
    const now = this.#blockNow(this.head.number + 1, Math.max(timestamp, this.head.timestamp));
    const draft = new Draft((name) => this.read(name));
    const done: Done[] = [];
    let gasUsed = 0;
    for (const transaction of choose(draft)) {
      const executed = await this.#execute(transaction, draft, now);
      gasUsed += executed.gasUsed;
      done.push(executed);
    }
    this.ledger.apply(now.number, this.#withoutGiven(draft.changes));
    const block = this.#close(now, done, gasUsed);
    for (const { transaction, nonce } of block.landed) {
      this.pool.remove(transaction.hash);
      if (transaction.nonce !== null) this.pool.removeBelow(transaction.from, nonce + 1);
    }
    return block;
  }

  #withoutGiven(changes: ReadonlyMap<string, bigint>): Map<string, bigint> {
    const own = new Map(changes);
    for (const [name, wei] of this.#given) {
      const value = own.get(name);
      if (value !== undefined) own.set(name, value - wei);
    }
    return own;
  }

  /** First the wallets' own transactions in the order of arrival, then by highest tip while the block has gas left. */
  *#choose(draft: Draft, most: number): Generator<SimTransaction> {
    const waiting = [...this.pool.all()];
    let left = BLOCK_GAS_LIMIT;
    let count = 0;
    for (const transaction of waiting) if (transaction.nonce === null) yield transaction;
    const senders = new Set(waiting.flatMap(({ from, nonce }) => (nonce === null ? [] : [from])));
    while (count < most) {
      const best = this.#best(senders, draft, left);
      if (best === null) return;
      count += 1;
      left -= best.gasLimit;
      yield best;
    }
  }

  #best(senders: Iterable<string>, draft: Draft, gasLeft: number): SimTransaction | null {
    let best: SimTransaction | null = null;
    const baseFee = this.nextBaseFee;
    for (const sender of senders) {
      const next = this.pool.at(sender, Number(draft.get(nonceOf(sender))));
      if (next === undefined || next.maxFeePerGas < baseFee || next.gasLimit > gasLeft) continue;
      if (BigInt(next.gasLimit) * next.maxFeePerGas + next.value > draft.get(weiOf(sender))) continue;
      if (best === null || tipOf(next, baseFee) > tipOf(best, baseFee)) best = next;
    }
    return best;
  }

  async #execute(transaction: SimTransaction, draft: Draft, block: BlockNow): Promise<Done> {
    const { from } = transaction;
    const isFree = transaction.nonce === null;
    const nonce = Number(draft.get(nonceOf(from)));
    const gasLimit = isFree ? BLOCK_GAS_LIMIT : transaction.gasLimit;
    const gasPrice = isFree ? 0n : block.baseFee + tipOf(transaction, block.baseFee);
    const message = { ...transaction, gasPrice };
    const { end, changes, logs, ...used } = await execute((name) => draft.get(name), message, block, gasLimit);
    draft.apply(changes);
    const gasUsed = isFree ? 0 : used.gasUsed;
    draft.set(weiOf(from), draft.get(weiOf(from)) - BigInt(gasUsed) * gasPrice);
    return { transaction, nonce, ok: end === 'returned', gasUsed, gasPrice, logs };
  }

  #close(now: BlockNow, done: readonly Done[], gasUsed: number): SimBlock {
    const { number, timestamp, baseFee } = now;
    const parentHash = this.blocks.at(-1)?.hash ?? `0x${'0'.repeat(64)}`;
    const content = done.map(({ transaction }) => transaction.hash).join();
    const hash = digestOf(`${parentHash}/${this.#fork}/${timestamp}/${content}`);
    let [logIndex, gasBefore] = [0, 0];
    const landed = done.map((each, index): Landed => {
      const logs = each.logs.map((log) => ({ ...log, logIndex: logIndex++ }));
      const made = { ...each, logs, index, blockNumber: number, blockHash: hash, gasBefore };
      gasBefore += each.gasUsed;
      this.#byHash.set(each.transaction.hash, made);
      return made;
    });
    const block = { number, hash, parentHash, timestamp, baseFee, gasUsed, landed };
    this.blocks.push(block);
    this.nextBaseFee = baseFeeAfter(block);
    return block;
  }

  #blockNow(number: number, timestamp: number): BlockNow {
    return { number, timestamp, baseFee: this.nextBaseFee };
  }

  #seconds(): number {
    return Math.floor(this.#source.now() / 1_000);
  }
}
