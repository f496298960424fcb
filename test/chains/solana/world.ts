import { Keypair, PublicKey } from '@solana/web3.js';
import type { LocalChain } from '../../../devnet/solana/local-chain.ts';
import type { Consent } from '../../../src/chains/consent.ts';
import { Delegates, rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { fromBase58 } from '../../../src/chains/solana/keys.ts';
import type { SolanaWorld } from '../../../src/service/local-world.ts';
import { callSolana, type LocalSolana, SolanaUser, startLocalSolana } from '../../support/solana.ts';
import { type ChainWorld, type Grant, MILLION, note, type Pull } from '../support/world.ts';

export const CHAIN_ID = 104;

export const UNLIMITED = 2n ** 64n - 1n;

export interface SolanaOptions {
  /** The mint: USDC is one of Token, USDT one of Token-2022. */
  readonly ticker?: 'USDC' | 'USDT';
  /** True: payers approve the delegate for mandates. */
  readonly isBounded?: boolean;
}

/** The local Solana chain in this process, and the keys of its wallets. */
export class SolanaTestWorld implements ChainWorld {
  readonly chainId = CHAIN_ID;
  readonly consent: Consent;
  readonly #ticker: string;
  readonly #wallets = new Map<string, Keypair>();
  #opened: { readonly local: LocalSolana; readonly user: SolanaUser } | null = null;

  constructor(options: SolanaOptions = {}) {
    this.#ticker = options.ticker ?? 'USDC';
    this.consent = { isBounded: options.isBounded ?? false, router: null };
  }

  async start(): Promise<void> {
    const local = await startLocalSolana();
    this.#opened = { local, user: new SolanaUser(local.world) };
  }

  async stop(): Promise<void> {
    await this.#opened?.local.stop();
  }

  /** The chain itself, which a test can hold, skip and make forget. */
  get chain(): LocalChain {
    return this.#local.chain;
  }

  /** What a configuration has to know of the chain. */
  get facts(): SolanaWorld {
    return this.#local.world;
  }

  /** Whoever acts with the standard libraries. */
  get user(): SolanaUser {
    return this.#running.user;
  }

  get rpcUrl(): string {
    return this.#local.rpcUrl;
  }

  get token(): string {
    return this.user.mint(this.#ticker).toBase58();
  }

  get merchant(): string {
    return this.walletOf('merchant');
  }

  get platform(): string {
    return this.facts.platform;
  }

  get delegates(): Delegates {
    return new Delegates(rootOfSeed(this.facts.operatorSeed));
  }

  get passers(): string[] {
    return ['mrc_a', 'mrc_b'].map((id) => this.operatorOf(id));
  }

  get #running() {
    if (this.#opened === null) throw new Error('the chain is not started');
    return this.#opened;
  }

  get #local(): LocalSolana {
    return this.#running.local;
  }

  /** The address of a test wallet of the devnet. */
  walletOf(name: string): string {
    return this.user.wallet(name).publicKey.toBase58();
  }

  /** The fee payer of the first signing queue. */
  get feePayer(): Keypair {
    return Keypair.fromSecretKey(fromBase58(this.facts.feePayers[0] ?? '') ?? new Uint8Array());
  }

  /** The key of a payer or stranger of this world. */
  keyOf(wallet: string): Keypair {
    const key = this.#wallets.get(wallet);
    if (!key) throw new Error(`${wallet} is not of this world`);
    return key;
  }

  owns(wallet: string): boolean {
    return this.#wallets.has(wallet);
  }

  operatorOf(merchantId = 'mrc_a', { isBounded }: Pick<Consent, 'isBounded'> = this.consent): string {
    return this.delegates.of({ merchantId, mode: 'test' }, isBounded).address;
  }

  async payer(merchantId = 'mrc_a', { balance = MILLION, allowance = UNLIMITED }: Grant = {}): Promise<string> {
    const wallet = this.#noted(await this.user.newPayer(balance, this.#ticker));
    if (allowance > 0n) await this.approve(wallet, merchantId, allowance);
    return wallet;
  }

  stranger(): string {
    return this.#noted(Keypair.generate());
  }

  approve(wallet: string, merchantId: string, amount: bigint): Promise<void> {
    return this.approveDelegate(wallet, this.operatorOf(merchantId), amount);
  }

  async approveDelegate(wallet: string, delegate: string, amount: bigint): Promise<void> {
    await this.user.approve(this.keyOf(wallet), delegate, amount, this.#ticker);
  }

  async revoke(wallet: string): Promise<void> {
    await this.user.revoke(this.keyOf(wallet), this.#ticker);
  }

  mint(wallet: string, amount: bigint): Promise<void> {
    return this.user.mintTo(new PublicKey(wallet), amount, this.#ticker);
  }

  async transfer(wallet: string, to: string, amount: bigint): Promise<void> {
    await this.user.transfer(this.keyOf(wallet), new PublicKey(to), amount, this.#ticker);
  }

  async freeze(wallet: string): Promise<void> {
    await this.user.freeze(new PublicKey(wallet), this.#ticker);
  }

  async refuse(wallet: string): Promise<void> {
    await this.mint(wallet, 0n);
    await this.freeze(wallet);
  }

  async balanceOf(wallet: string): Promise<bigint> {
    return (await this.user.balanceOf(wallet, this.#ticker)) ?? 0n;
  }

  async pulls(wallet: string): Promise<Pull[]> {
    const account = this.user.accountOf(wallet, this.#ticker).toBase58();
    const found: Pull[] = [];
    for (const record of this.chain.records.naming(account)) {
      const index = record.accounts.indexOf(account);
      const amountIn = (list: typeof record.preTokenBalances): bigint =>
        BigInt(list.find(({ accountIndex }) => accountIndex === index)?.uiTokenAmount.amount ?? 0);
      const amount = amountIn(record.preTokenBalances) - amountIn(record.postTokenBalances);
      const isCharge = record.memo?.includes('tideline:') ?? false;
      if (amount > 0n && isCharge) found.unshift({ amount, txHash: record.signature });
    }
    return found;
  }

  async movements() {
    const moved = new Map<string, Map<string, bigint>>();
    for (const { signature, memo, preTokenBalances, postTokenBalances } of this.chain.records.naming(this.token)) {
      if (!memo?.includes('tideline:')) continue;
      for (const { owner, uiTokenAmount } of preTokenBalances) {
        note(moved, signature, owner, -BigInt(uiTokenAmount.amount));
      }
      for (const { owner, uiTokenAmount } of postTokenBalances) {
        note(moved, signature, owner, BigInt(uiTokenAmount.amount));
      }
    }
    return moved;
  }

  hold(): void {
    this.chain.hold(true);
  }

  pump(): void {
    this.chain.drop(0);
    this.chain.hold(false);
  }

  async finalize(): Promise<void> {
    this.chain.skip(40);
  }

  /** More slots than the life of a blockhash, all of them finalized. */
  letExpire(): void {
    this.chain.skip(150 + 32 + 2);
  }

  async impoverish(): Promise<() => Promise<void>> {
    const { user, feePayer } = this;
    const all = BigInt(await user.connection.getBalance(feePayer.publicKey, 'processed')) - 900_000n;
    const other = Keypair.generate();
    await user.sendLamports(feePayer, other.publicKey, all);
    await user.untilDone(await user.connection.requestAirdrop(other.publicKey, 1_000_000_000));
    return async () => void (await user.sendLamports(other, feePayer.publicKey, all));
  }

  /** Nodes show the transaction as one of this version. */
  showAs(signature: string, version: number): Promise<unknown> {
    return callSolana(this.rpcUrl, 'tideline_showAs', [signature, version]);
  }

  comparable(wallet: string): string {
    return wallet;
  }

  #noted(key: Keypair): string {
    const wallet = key.publicKey.toBase58();
    this.#wallets.set(wallet, key);
    return wallet;
  }
}
