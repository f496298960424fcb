import { z } from 'zod';
import type { CatalogToken } from '../catalog.ts';
import { chunksOf } from '../chain-reader.ts';
import type { ChainContext, ChainSizes } from '../context.ts';
import { Endpoints, type EndpointsOptions } from '../endpoints.ts';
import type { Check } from '../last-check.ts';
import { type RpcAnswer, type RpcCall, type RpcNode, resultOf } from '../rpc.ts';
import type { SizedQuestion } from '../sized.ts';
import type { Agreements } from './agreements.ts';
import type { Delegates } from './key-root.ts';
import { ACCOUNTS_PER_CALL } from './options.ts';
import { type AssociatedAccounts, checkMint, type TokenInfo } from './token-account.ts';
import { accountsSchema, epochInfoSchema, type WireAccount } from './wire.ts';

export interface SolanaLinkOptions extends EndpointsOptions {
  /** The genesis hash of the configured chain. */
  readonly genesisHash: string;
  readonly tokens: readonly CatalogToken[];
}

/** The tokens whose mints agree with the catalog, by mint. */
export type CheckedTokens = ReadonlyMap<string, TokenInfo>;

export interface Accounts {
  readonly slot: number;
  readonly of: ReadonlyMap<string, WireAccount>;
  /** Those in a form that cannot be read: nothing is known of them. */
  readonly unread: ReadonlySet<string>;
}

/** The connection to one Solana chain, and the facts found out about it. Its head is the newest confirmed slot. */
export class SolanaLink extends Endpoints<CheckedTokens> {
  readonly #options: SolanaLinkOptions;
  /** How many slots had no block when the chain was last checked. The number only grows. */
  #skipped = 0;

  constructor(options: SolanaLinkOptions) {
    super(options);
    this.#options = options;
  }

  async latest(): Promise<number> {
    return this.saw(z.int().parse(await this.call('getSlot', [{ commitment: 'confirmed' }])));
  }

  /** Notes a confirmed slot that came with another answer. */
  saw(slot: number): number {
    this.sawHead(slot);
    return slot;
  }

  /** The greatest height that a block of this slot can have: no slot has two blocks. */
  highestAt(slot: number): number {
    return slot - this.#skipped;
  }

  /** Confirmed accounts in few calls, as of the newest slot seen, or later; `slot` is that of the oldest answer. */
  async accounts(addresses: readonly string[]): Promise<Accounts> {
    if (addresses.length === 0) return readAccounts(addresses, []);
    const question = accountsQuestion(addresses);
    const ask = async () => readAccounts(addresses, (await this.sized(question)).answers, this);
    return this.asOfHead(ask, ({ slot }) => slot);
  }

  /** Checks that a node is of the configured chain. */
  protected override async vet(node: RpcNode, name: string): Promise<string | null> {
    const { genesisHash } = this.#options;
    const found = z.string().parse(await node.call('getGenesisHash', []));
    return found === genesisHash ? null : `the node at ${name} is of the chain ${found}, expected ${genesisHash}`;
  }

  protected override async headOf(node: RpcNode): Promise<number> {
    return z.int().parse(await node.call('getSlot', [{ commitment: 'confirmed' }]));
  }

  protected override async checkChain(): Promise<Check<CheckedTokens>> {
    const { tokens } = this.#options;
    const epoch = epochInfoSchema.parse(await this.call('getEpochInfo', [{ commitment: 'finalized' }]));
    this.#skipped = epoch.absoluteSlot - epoch.blockHeight;
    const { of } = await this.accounts(tokens.map(({ address }) => address));
    const checks = tokens.map((token) => checkMint(token, of.get(token.address) ?? null));
    const differing = checks.flatMap((check) => (check.ok ? [] : [check.why]));
    this.noteTokens(differing);
    const found = new Map(checks.flatMap((check) => (check.ok ? [[check.token.mint, check.token]] : [])));
    return { found, isWhole: differing.length === 0 };
  }
}

/** Asks for accounts, after `others` in the same request; `readAccounts` reads the answers after theirs. */
export function accountsQuestion(addresses: readonly string[], others: readonly RpcCall[] = []): SizedQuestion {
  const method = 'getMultipleAccounts';
  const calls = (size: number) => [
    ...others,
    ...chunksOf(addresses, size).map((part) => {
      return { method, params: [part, { encoding: 'base64', commitment: 'confirmed' }] };
    }),
  ];
  return { method, amount: Math.min(ACCOUNTS_PER_CALL, Math.max(1, addresses.length)), calls };
}

/** @param link shows accounts that cannot be read */
export function readAccounts(
  addresses: readonly string[],
  answers: readonly (RpcAnswer | undefined)[],
  link?: Pick<SolanaLink, 'readable'>,
): Accounts {
  const read = answers.map((answer) => accountsSchema.parse(resultOf(answer)));
  const values = read.flatMap(({ value }) => value);
  if (values.length !== addresses.length)
    throw new Error(`the node answered ${values.length} accounts, expected ${addresses.length}`);
  link?.readable('accounts', values);
  return {
    slot: Math.min(...read.map(({ context }) => context.slot)),
    of: new Map(addresses.map((address, index) => [address, values[index] ?? null])),
    unread: new Set(addresses.filter((_, index) => values[index] === undefined)),
  };
}

/** The dependencies that all parts of one Solana chain share. */
export interface SolanaContext extends ChainContext {
  /** Confirmations that make a transaction final. Null: commitment `confirmed` makes it final. */
  readonly confirmations: number | null;
  readonly link: SolanaLink;
  readonly delegates: Delegates;
  readonly associated: AssociatedAccounts;
  readonly agreements: Agreements;
  readonly sizes: ChainSizes;
}
