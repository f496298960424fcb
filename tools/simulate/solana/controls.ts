import { createHash } from 'node:crypto';
import { SystemProgram, type TransactionInstruction, VersionedTransaction } from '@solana/web3.js';
import { authorityKey } from '../../../devnet/solana-keys.ts';
import type { RefundTransaction } from '../../../src/chains/port.ts';
import { legacyMessage, memoInstruction } from '../../../src/chains/solana/instructions.ts';
import { fromBase58, keyFromSeed, type SolanaKey, toBase58 } from '../../../src/chains/solana/keys.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, type TokenProgram } from '../../../src/chains/solana/programs.ts';
import { publicKeyOf } from '../../../src/chains/solana/public-keys.ts';
import { splToken } from '../../../src/chains/solana/spl-token.ts';
import { TOKEN_ACCOUNT_BYTES, type TokenAccount } from '../../../src/chains/solana/token-account.ts';
import type { ChainControls, Spender, ToSign } from '../simulated-chain.ts';
import type { SimSolana } from './node.ts';

/** Enough for the fees of a run. */
const LAMPORTS = 10n ** 10n;

/** More than all wallets of a run ever get. */
const TREASURY_HAS = 10n ** 18n;

/**
 * Wallets on a simulated Solana chain. Each action is a signed transaction, which fails by the token program's rules.
 * The authority of the test tokens pays the fees, and a treasury gives the wallets their tokens.
 */
export class SolanaControls implements ChainControls {
  readonly #sim: SimSolana;
  readonly #authority = authorityKey();
  readonly #keys = new Map<string, SolanaKey>();
  readonly #treasury: string;
  #acts = 0;

  constructor(sim: SimSolana) {
    this.#sim = sim;
    this.#treasury = this.stranger();
    const { mint, program } = sim.token;
    const data = holdingData(program, { mint, owner: this.#treasury, amount: TREASURY_HAS });
    const lamports = sim.chain.minimumBalance(data.length);
    sim.chain.found([[sim.accountOf(this.#treasury), { lamports, owner: program, executable: false, data }]]);
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
    this.transfer(this.#treasury, wallet, amount);
  }

  approve(wallet: string, spender: Spender, amount: bigint): void {
    const { account, owner, mint, decimals, program } = this.#of(wallet);
    const delegate = publicKeyOf(this.#sim.delegateOf(spender));
    const approval =
      amount === 0n
        ? this.#revocation(wallet)
        : splToken.createApproveCheckedInstruction(account, mint, delegate, owner, amount, decimals, [], program);
    this.#act([approval], wallet);
  }

  transfer(from: string, to: string, amount: bigint): void {
    const { account: source, owner, mint, decimals, program } = this.#of(from);
    const { account } = this.#of(to);
    const transfer = splToken.createTransferCheckedInstruction(
      source,
      mint,
      account,
      owner,
      amount,
      decimals,
      [],
      program,
    );
    this.#act([this.#creation(to), transfer], from);
  }

  /** The wallet pays the fee itself. */
  send(wallet: string, drafted: readonly RefundTransaction[]): void {
    const { chain } = this.#sim;
    const key = this.#keyOf(wallet);
    if (chain.account(wallet) === null) {
      const nothing = { owner: SYSTEM_PROGRAM, executable: false, data: new Uint8Array() };
      chain.found([[wallet, { lamports: LAMPORTS, ...nothing }]]);
    }
    for (const each of drafted) {
      if (each.family !== 'solana') continue;
      const transaction = VersionedTransaction.deserialize(Buffer.from(each.transaction, 'base64'));
      transaction.addSignature(publicKeyOf(wallet), key.sign(transaction.message.serialize()));
      chain.send(transaction.serialize());
    }
  }

  spendAll(wallet: string): void {
    this.transfer(wallet, this.#treasury, this.#sim.balanceOf(wallet));
  }

  freeze(wallet: string, on: boolean): void {
    const { account, mint, program } = this.#of(wallet);
    const make = on ? splToken.createFreezeAccountInstruction : splToken.createThawAccountInstruction;
    const authority = publicKeyOf(this.#authority.address);
    this.#act([this.#creation(wallet), make(account, mint, authority, [], program)]);
  }

  /** A frozen account can neither send nor receive. */
  refuse(wallet: string, on: boolean): void {
    this.freeze(wallet, on);
  }

  /** A transaction that moves nothing and names these addresses. */
  mention(addresses: readonly string[]): void {
    const authority = publicKeyOf(this.#authority.address);
    const nothing = SystemProgram.transfer({ fromPubkey: authority, toPubkey: authority, lamports: 0 });
    const named = addresses.map((address) => ({ pubkey: publicKeyOf(address), isSigner: false, isWritable: false }));
    nothing.keys.push(...named);
    this.#act([nothing]);
  }

  /** Takes from the wallet's token account the lamports that keep it. */
  impoverish(wallet: string): void {
    const { chain } = this.#sim;
    const address = this.#sim.accountOf(wallet);
    const account = chain.account(address);
    if (account !== null) chain.found([[address, { ...account, lamports: 1n }]]);
  }

  #of(wallet: string) {
    const { mint, program, decimals } = this.#sim.token;
    return {
      account: publicKeyOf(this.#sim.accountOf(wallet)),
      owner: publicKeyOf(wallet),
      mint: publicKeyOf(mint),
      program: publicKeyOf(program),
      decimals,
    };
  }

  #revocation(wallet: string): TransactionInstruction {
    const { account, owner, program } = this.#of(wallet);
    return splToken.createRevokeInstruction(account, owner, [], program);
  }

  #creation(wallet: string): TransactionInstruction {
    const { account, owner, mint, program } = this.#of(wallet);
    const payer = publicKeyOf(this.#authority.address);
    return splToken.createAssociatedTokenAccountIdempotentInstruction(payer, account, owner, mint, program);
  }

  /** Signs as the authority, and as the wallet if one is given. */
  #act(instructions: readonly TransactionInstruction[], wallet?: string): void {
    const { chain } = this.#sim;
    this.#acts += 1;
    // Makes two equal actions different transactions.
    const memo = memoInstruction(`act ${this.#acts}`, null);
    const blockhash = chain.slots.blockhash(chain.slots.slot());
    const message = legacyMessage(this.#authority.address, blockhash, [...instructions, memo]);
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

const INITIALIZED = 1;
/** The extra bytes of a Token-2022 account: the account type, and the extension that forbids a change of owner. */
const OWNER_STAYS = Buffer.from([2, 7, 0, 0, 0]);

/** The data of a token account without a delegate, in the token program's format. */
function holdingData(program: TokenProgram, { mint, owner, amount }: Pick<TokenAccount, 'mint' | 'owner' | 'amount'>) {
  const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES);
  data.set(bytesOf(mint), 0);
  data.set(bytesOf(owner), 32);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(INITIALIZED, 108);
  return program === TOKEN_2022_PROGRAM ? Buffer.concat([data, OWNER_STAYS]) : data;
}

function bytesOf(address: string): Uint8Array {
  const bytes = fromBase58(address);
  if (bytes?.length !== 32) throw new Error(`${address} is no Solana address`);
  return bytes;
}
