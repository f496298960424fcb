import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { Account, type Address, bigIntToBytes, bytesToBigInt, bytesToHex, KECCAK256_NULL } from '@ethereumjs/util';
import { getBytes, keccak256 } from 'ethers';
import { codeHashOf, Draft, nonceOf, type ReadCell, storageOf, weiOf } from './cells.ts';

const EMPTY = new Uint8Array(0);

/** The code of contracts by its hash, of all chains of this process. */
const codes = new Map<bigint, Uint8Array>();

/** The code at an address; empty: there is none. */
export function codeAt(read: ReadCell, account: string): Uint8Array {
  return codes.get(read(codeHashOf(account))) ?? EMPTY;
}

/** Puts code (0x-hex) at an address. */
export function putCode(draft: Draft, account: string, code: string): void {
  const hash = BigInt(keccak256(code));
  codes.set(hash, getBytes(code));
  draft.set(codeHashOf(account), hash);
}

/** The state as the EVM reads and writes it: drafts, one for each call of a contract, over the cells of a chain. */
export class EvmState implements StateManagerInterface {
  #begun = new Draft(() => 0n);
  #drafts = [this.#begun];

  /** Forgets everything, and reads from these cells. */
  begin(below: ReadCell): void {
    this.#begun = new Draft(below);
    this.#drafts = [new Draft((name) => this.#begun.get(name))];
  }

  get changes(): ReadonlyMap<string, bigint> {
    return this.#top.changes;
  }

  get #top(): Draft {
    return this.#drafts.at(-1) ?? this.#begun;
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const name = address.toString();
    const top = this.#top;
    const [nonce, wei, hash] = [top.get(nonceOf(name)), top.get(weiOf(name)), top.get(codeHashOf(name))];
    if (nonce === 0n && wei === 0n && hash === 0n) return undefined;
    return new Account(nonce, wei, undefined, hash === 0n ? KECCAK256_NULL : wordOf(hash));
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    if (account === undefined) return this.deleteAccount(address);
    const name = address.toString();
    const top = this.#top;
    top.set(nonceOf(name), account.nonce);
    top.set(weiOf(name), account.balance);
  }

  async deleteAccount(address: Address): Promise<void> {
    const name = address.toString();
    for (const cell of [nonceOf(name), weiOf(name), codeHashOf(name)]) this.#top.set(cell, 0n);
  }

  async modifyAccountFields(address: Address, { nonce, balance }: AccountFields): Promise<void> {
    const name = address.toString();
    if (nonce !== undefined) this.#top.set(nonceOf(name), nonce);
    if (balance !== undefined) this.#top.set(weiOf(name), balance);
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    putCode(this.#top, address.toString(), bytesToHex(code));
  }

  async getCode(address: Address): Promise<Uint8Array> {
    return codeAt((name) => this.#top.get(name), address.toString());
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length;
  }

  async getStorage(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    return storageIn(this.#top, address, slot);
  }

  async putStorage(address: Address, slot: Uint8Array, value: Uint8Array): Promise<void> {
    this.#top.set(storageOf(address.toString(), bytesToHex(slot)), bytesToBigInt(value));
  }

  async checkpoint(): Promise<void> {
    const below = this.#top;
    this.#drafts.push(new Draft((name) => below.get(name)));
  }

  async commit(): Promise<void> {
    const done = this.#drafts.pop();
    if (done !== undefined) this.#top.apply(done.changes);
  }

  async revert(): Promise<void> {
    this.#drafts.pop();
  }

  /** The storage before the transaction, by which the EVM prices writes. */
  readonly originalStorageCache = {
    get: async (address: Address, slot: Uint8Array): Promise<Uint8Array> => storageIn(this.#begun, address, slot),
    clear: (): void => undefined,
  };

  clearCaches(): void {}

  /** Is called for the address of a new contract, which has none. */
  async clearStorage(): Promise<void> {}

  getStateRoot(): Promise<Uint8Array> {
    return unused('getStateRoot');
  }

  setStateRoot(): Promise<void> {
    return unused('setStateRoot');
  }

  hasStateRoot(): Promise<boolean> {
    return unused('hasStateRoot');
  }

  shallowCopy(): StateManagerInterface {
    return unused('shallowCopy');
  }
}

function storageIn(draft: Draft, address: Address, slot: Uint8Array): Uint8Array {
  const value = draft.get(storageOf(address.toString(), bytesToHex(slot)));
  return value === 0n ? EMPTY : bigIntToBytes(value);
}

function wordOf(value: bigint): Uint8Array {
  return getBytes(`0x${value.toString(16).padStart(64, '0')}`);
}

/** Only parts of the EVM that a simulated chain does not use need it. */
function unused(name: string): never {
  throw new Error(`${name} is not simulated`);
}
