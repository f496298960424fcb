import { createHash } from 'node:crypto';
import { TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { authorityKey } from '../../../devnet/solana-keys.ts';
import { testTokenProgram } from '../../../devnet/solana-world.ts';
import { AssociatedAccounts } from '../../../src/chains/solana/associated.ts';
import { toBase58 } from '../../../src/chains/solana/base58.ts';
import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { keyFromSeed, type SolanaKey } from '../../../src/chains/solana/keys.ts';
import { MEMO_PROGRAM } from '../../../src/chains/solana/programs.ts';
import { publicKeyOf } from '../../../src/chains/solana/public-keys.ts';
import {
  createApproveCheckedInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createFreezeAccountInstruction,
  createRevokeInstruction,
  createThawAccountInstruction,
  createTransferCheckedInstruction,
} from '../../../src/chains/solana/spl-token.ts';
import type { ChainControls, Spender, ToSign } from '../simulated-chain.ts';
import type { SimSolana } from './node.ts';

/** More than all wallets of a run ever get. */
const BANK_HAS = 10n ** 18n;

/**
 * Wallets on a simulated Solana chain. Each action is a signed transaction, which fails by the token program's rules.
 * The authority of the test tokens pays the fees, and a bank account gives the wallets their tokens.
 */
export class SolanaControls implements ChainControls {
  readonly #sim: SimSolana;
  readonly #ticker: string;
  readonly #mint: string;
  readonly #decimals: number;
  readonly #program: ReturnType<typeof testTokenProgram>;
  readonly #delegates: Delegates;
  readonly #accounts = new AssociatedAccounts();
  readonly #authority = authorityKey();
  readonly #keys = new Map<string, SolanaKey>();
  readonly #bank: string;
  #acts = 0;

  constructor(sim: SimSolana, ticker: string) {
    const token = sim.world.tokens.find((each) => each.ticker === ticker);
    if (!token) throw new Error(`The simulated chain has no ${ticker}`);
    this.#sim = sim;
    this.#ticker = ticker;
    this.#mint = token.address;
    this.#decimals = token.decimals;
    this.#program = testTokenProgram(ticker);
    this.#delegates = new Delegates(rootOfSeed(sim.world.operatorSeed));
    this.#bank = this.stranger();
    sim.put(this.#bank, { balance: BANK_HAS }, ticker);
  }

  stranger(): string {
    const seed = createHash('sha256').update(`simulated wallet ${this.#keys.size}`).digest();
    const key = keyFromSeed(seed);
    this.#keys.set(key.address, key);
    return key.address;
  }

  payer(): string {
    return this.stranger();
  }

  sign(payer: string, { message }: ToSign): string {
    return toBase58(this.#keyOf(payer).sign(Buffer.from(message)));
  }

  /** No program keeps agreements here, so a payer ends them by ending what it has approved. */
  revoke(payer: string): void {
    this.#act([this.#revocation(payer)], payer);
  }

  mint(wallet: string, amount: bigint): void {
    this.transfer(this.#bank, wallet, amount);
  }

  approve(wallet: string, { merchantId, isBounded }: Spender, amount: bigint): void {
    const [account, owner, program] = this.#of(wallet);
    const delegate = publicKeyOf(this.#delegates.of({ merchantId, mode: 'test' }, isBounded).address);
    const mint = publicKeyOf(this.#mint);
    const approval =
      amount === 0n
        ? this.#revocation(wallet)
        : createApproveCheckedInstruction(account, mint, delegate, owner, amount, this.#decimals, [], program);
    this.#act([approval], wallet);
  }

  transfer(from: string, to: string, amount: bigint): void {
    const [source, owner, program] = this.#of(from);
    const [account] = this.#of(to);
    const mint = publicKeyOf(this.#mint);
    this.#act(
      [
        this.#creation(to),
        createTransferCheckedInstruction(source, mint, account, owner, amount, this.#decimals, [], program),
      ],
      from,
    );
  }

  spendAll(wallet: string): void {
    this.transfer(wallet, this.#bank, this.#sim.balanceOf(wallet, this.#ticker));
  }

  freeze(wallet: string, on: boolean): void {
    const [account, , program] = this.#of(wallet);
    const make = on ? createFreezeAccountInstruction : createThawAccountInstruction;
    const authority = publicKeyOf(this.#authority.address);
    this.#act([this.#creation(wallet), make(account, publicKeyOf(this.#mint), authority, [], program)]);
  }

  /** A frozen account can neither send nor receive. */
  refuse(wallet: string, on: boolean): void {
    this.freeze(wallet, on);
  }

  #of(wallet: string) {
    const account = this.#accounts.of(wallet, { mint: this.#mint, program: this.#program, decimals: this.#decimals });
    return [publicKeyOf(account), publicKeyOf(wallet), publicKeyOf(this.#program)] as const;
  }

  #revocation(wallet: string): TransactionInstruction {
    const [account, owner, program] = this.#of(wallet);
    return createRevokeInstruction(account, owner, [], program);
  }

  #creation(wallet: string): TransactionInstruction {
    const [account, owner, program] = this.#of(wallet);
    const payer = publicKeyOf(this.#authority.address);
    return createAssociatedTokenAccountIdempotentInstruction(payer, account, owner, publicKeyOf(this.#mint), program);
  }

  /** Signs as the authority, and as the wallet if one is given. */
  #act(instructions: readonly TransactionInstruction[], wallet?: string): void {
    const { chain } = this.#sim;
    this.#acts += 1;
    // Makes two equal actions different transactions.
    const data = Buffer.from(`act ${this.#acts}`);
    const memo = new TransactionInstruction({ programId: publicKeyOf(MEMO_PROGRAM), keys: [], data });
    const message = new TransactionMessage({
      payerKey: publicKeyOf(this.#authority.address),
      recentBlockhash: chain.slots.blockhash(chain.slots.slot()),
      instructions: [...instructions, memo],
    }).compileToLegacyMessage();
    const transaction = new VersionedTransaction(message);
    const bytes = message.serialize();
    for (const key of [this.#authority, ...(wallet === undefined ? [] : [this.#keyOf(wallet)])]) {
      transaction.addSignature(publicKeyOf(key.address), key.sign(bytes));
    }
    chain.send(transaction.serialize());
  }

  #keyOf(wallet: string): SolanaKey {
    const key = this.#keys.get(wallet);
    if (!key) throw new Error(`${wallet} is nobody's here`);
    return key;
  }
}
