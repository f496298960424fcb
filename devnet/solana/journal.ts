import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { DevnetError } from '../../src/service/devnet-error.ts';
import { isRecord, parseJson } from '../json.ts';
import type { TransactionRecord } from './records.ts';
import type { SlotOrigin } from './slots.ts';
import type { VmAccount } from './vm.ts';

/** An account in a journal line: address, lamports, owner, whether it is a program, data in base64; null: removed. */
export type AccountLine = readonly [string, string, string, 0 | 1, string] | readonly [string, null];

/** One change: its transactions, and the resulting state of the changed accounts. */
export interface JournalEntry {
  readonly slot: number;
  readonly transactions: readonly TransactionRecord[];
  readonly accounts: readonly AccountLine[];
  readonly skipped: number;
}

/** The first line: the owner of the chain, and the origin of its slots. */
export interface JournalHead extends SlotOrigin {
  readonly product: 'tideline local solana';
  readonly folderId: string;
}

/** The beginning of every journal: the product is the head's first field. */
const HEAD_BEGINS = '{"product":"tideline local solana"';

/**
 * The local Solana chain on disk, one line per change. A line is appended before anybody sees the change. A start cuts
 * off the half line that a killed process left at the end. (litesvm's own snapshot refuses more than 43,000 accounts.)
 */
export class Journal {
  readonly #path: string;
  #file: number;

  private constructor(path: string, file: number) {
    this.#path = path;
    this.#file = file;
  }

  /**
   * Opens the journal, or starts one with `head`. `take` gets its entries in order. A journal above `compactAbove`
   * bytes should be rewritten by `replace`.
   * @throws DevnetError if the file is not a journal, or belongs to another folder
   */
  static open(
    path: string,
    head: JournalHead,
    take: (entry: JournalEntry) => void,
  ): { journal: Journal; head: JournalHead; bytes: number } {
    const whole = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    if (isUnbegun(whole)) {
      const journal = new Journal(path, openSync(path, 'w', 0o600));
      writeLine(journal.#file, head);
      return { journal, head, bytes: 0 };
    }
    const kept = whole.subarray(0, whole.lastIndexOf(0x0a) + 1);
    const lines = kept.toString('utf8').split('\n').slice(0, -1);
    const found = readHead(lines[0], path, head.folderId);
    for (const [index, line] of lines.slice(1).entries()) take(readEntry(line, path, index + 2));
    const file = openSync(path, 'r+');
    ftruncateSync(file, kept.length);
    closeSync(file);
    return { journal: new Journal(path, openSync(path, 'a')), head: found, bytes: kept.length };
  }

  /** The line is written when this returns, so a later kill loses nothing. */
  append(entry: JournalEntry): void {
    writeLine(this.#file, entry);
  }

  /** Replaces all entries in one step. */
  replace(head: JournalHead, entries: Iterable<JournalEntry>): void {
    const draft = `${this.#path}.draft`;
    const file = openSync(draft, 'w', 0o600);
    writeLine(file, head);
    for (const entry of entries) writeLine(file, entry);
    closeSync(file);
    closeSync(this.#file);
    renameSync(draft, this.#path);
    this.#file = openSync(this.#path, 'a');
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Repeats the write until all bytes are there: on a nearly full disk one may take a part without an error. */
function writeLine(file: number, value: object): void {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

export function accountLine(address: string, account: VmAccount | null): AccountLine {
  if (account === null) return [address, null];
  const { lamports, owner, executable, data } = account;
  return [address, lamports.toString(), owner, executable ? 1 : 0, Buffer.from(data).toString('base64')];
}

export function accountOf(line: AccountLine): VmAccount | null {
  const [, lamports, owner, executable, data] = line;
  if (lamports === null || owner === undefined || data === undefined) return null;
  return { lamports: BigInt(lamports), owner, executable: executable === 1, data: Buffer.from(data, 'base64') };
}

/** True for an empty file or a part of a head: the process that started it was killed before anybody saw a chain. */
function isUnbegun(whole: Buffer): boolean {
  if (whole.includes(0x0a)) return false;
  const text = whole.toString('utf8');
  return HEAD_BEGINS.startsWith(text) || text.startsWith(HEAD_BEGINS);
}

function readHead(line: string | undefined, path: string, folderId: string): JournalHead {
  const head = parseJson(line ?? '');
  if (!isHead(head)) throw new DevnetError(`${path} is not a local Solana chain; npm run reset starts a new one`);
  if (head.folderId !== folderId) {
    throw new DevnetError(`${path} is the chain of another data folder; npm run reset starts a new one`);
  }
  return head;
}

function isHead(value: unknown): value is JournalHead {
  if (!isRecord(value)) return false;
  const { product, folderId, seed, startedAt, slotMs } = value;
  const isOurs = product === 'tideline local solana' && typeof folderId === 'string';
  return isOurs && typeof seed === 'string' && typeof startedAt === 'number' && typeof slotMs === 'number';
}

/** Only this code writes lines, and writes them completely, so only their outer form is checked. */
function readEntry(line: string, path: string, number: number): JournalEntry {
  const entry = parseJson(line);
  if (isEntry(entry)) return entry;
  throw new DevnetError(
    `${path}, line ${number}, is not an entry of a local Solana chain; npm run reset starts a new one`,
  );
}

function isEntry(value: unknown): value is JournalEntry {
  if (!isRecord(value)) return false;
  const { slot, transactions, accounts, skipped } = value;
  return (
    typeof slot === 'number' && Array.isArray(transactions) && Array.isArray(accounts) && typeof skipped === 'number'
  );
}
