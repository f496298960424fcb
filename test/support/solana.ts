import '../../src/chains/solana/spl-token.ts';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  Connection,
  Keypair,
  PublicKey,
  type SignatureStatus,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js';
import { z } from 'zod';
import type { LocalChain } from '../../devnet/solana/local-chain.ts';
import { openNode } from '../../devnet/solana/node.ts';
import { localSeed } from '../../devnet/solana-keys.ts';
import { solanaGenesisHash } from '../../devnet/solana-marker.ts';
import { solanaWorld, testTokenProgram } from '../../devnet/solana-world.ts';
import { fromBase58, type SolanaKey, toBase58 } from '../../src/chains/solana/keys.ts';
import type { SolanaWorld } from '../../src/service/local-world.ts';
import { temporaryFolder } from '../runner/after.ts';

// Loaded as the service does, which keeps one of its packages from printing during the load.
export const {
  createCloseAccountInstruction,
  createEnableRequiredMemoTransfersInstruction,
  createReallocateInstruction,
  createTransferCheckedInstruction,
  ExtensionType,
  getAccount,
  getAssociatedTokenAddressSync,
} = await import('@solana/spl-token');

const {
  createApproveCheckedInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createFreezeAccountInstruction,
  createInitializeAccount3Instruction,
  createInitializeMint2Instruction,
  createMintToCheckedInstruction,
  createRevokeInstruction,
  createThawAccountInstruction,
  ACCOUNT_SIZE,
  MINT_SIZE,
} = await import('@solana/spl-token');

const FOLDER_ID = 'f'.repeat(32);

/** The chain of the local devnet in this process, for tests that do not need a separate process. */
export interface LocalSolana {
  readonly rpcUrl: string;
  readonly chain: LocalChain;
  readonly world: SolanaWorld;
  /** The number of subscribed clients, including those that just left. */
  sockets(): Promise<number>;
  stop(): Promise<void>;
}

export interface LocalSolanaOptions {
  readonly slotMs?: number;
  /** The file of the chain; by default a new one. */
  readonly path?: string;
  readonly now?: () => number;
  /** The chain that its node claims to be; a local one by default. */
  readonly genesisHash?: string;
}

export async function startLocalSolana(options: LocalSolanaOptions = {}): Promise<LocalSolana> {
  const { slotMs = 50, now = Date.now } = options;
  const path = options.path ?? join(await temporaryFolder(), 'chain.jsonl');
  const seed = Math.random().toString(36);
  const { genesisHash = solanaGenesisHash(FOLDER_ID) } = options;
  const { chain, rpc, sockets, listen } = openNode({ path, folderId: FOLDER_ID, seed, slotMs, genesisHash, now });
  const rpcUrl = `http://127.0.0.1:${await listen(0)}`;
  return {
    rpcUrl,
    chain,
    world: solanaWorld(rpcUrl, genesisHash),
    sockets: () => promisify(sockets.getConnections.bind(sockets))(),
    async stop() {
      rpc.closeAllConnections();
      sockets.closeAllConnections();
      sockets.close();
      rpc.close();
      await once(rpc, 'close');
      chain.close();
    },
  };
}

const POLL_MS = 10;
const PATIENCE_MS = 45_000;

/** The facts in `GET /devnet.json` that a user of the local chain needs. */
export type UserWorld = Pick<SolanaWorld, 'rpcUrl' | 'tokens' | 'wallets'>;

const devnet = z.object({
  solana: z.object({
    rpcUrl: z.string(),
    tokens: z.array(z.object({ tokenKey: z.string(), mint: z.string(), decimals: z.number() })),
    wallets: z.array(z.object({ name: z.string(), address: z.string(), secretKey: z.string(), behaviour: z.string() })),
  }),
});

/** A user with wallets of the local chain and the standard libraries, without code of the service. */
export class SolanaUser {
  readonly connection: Connection;
  readonly #world: UserWorld;

  constructor(world: UserWorld) {
    this.#world = world;
    this.connection = new Connection(world.rpcUrl, { commitment: 'confirmed', disableRetryOnRateLimit: true });
  }

  /** On the local chain of the service at this URL. */
  static async open(url: string): Promise<SolanaUser> {
    const { solana } = devnet.parse(await (await fetch(`${url}/devnet.json`)).json());
    const tokens = solana.tokens.map(({ tokenKey, mint, decimals }) => {
      return { ticker: tokenKey.slice(0, 4).toUpperCase(), decimals, address: mint };
    });
    return new SolanaUser({ ...solana, tokens });
  }

  get rpcUrl(): string {
    return this.#world.rpcUrl;
  }

  /** Signs a transaction that the service has drafted, base64, and sends it. Resolves with its signature. */
  async sendDrafted(drafted: string, signer: Keypair): Promise<string> {
    const transaction = VersionedTransaction.deserialize(Buffer.from(drafted, 'base64'));
    transaction.sign([signer]);
    const signature = await this.connection.sendRawTransaction(transaction.serialize());
    const { err } = await this.untilDone(signature);
    if (err !== null) throw new Error(`${signature} failed: ${JSON.stringify(err)}`);
    return signature;
  }

  /** The key of a test wallet. */
  wallet(name: string): Keypair {
    const found = this.#world.wallets.find((each) => each.name === name);
    if (!found) throw new Error(`no test wallet ${name}`);
    return keypairOf(found.secretKey);
  }

  mint(ticker = 'USDC'): PublicKey {
    const token = this.#world.tokens.find((each) => each.ticker === ticker);
    if (!token) throw new Error(`no test token ${ticker}`);
    return new PublicKey(token.address);
  }

  program(ticker = 'USDC'): PublicKey {
    return new PublicKey(testTokenProgram(ticker));
  }

  accountOf(owner: PublicKey | string, ticker = 'USDC'): PublicKey {
    return getAssociatedTokenAddressSync(this.mint(ticker), new PublicKey(owner), true, this.program(ticker));
  }

  /** Null: the wallet has no account for this token. */
  async balanceOf(owner: PublicKey | string, ticker = 'USDC'): Promise<bigint | null> {
    return (await this.token(owner, ticker))?.amount ?? null;
  }

  async token(owner: PublicKey | string, ticker = 'USDC') {
    const account = this.accountOf(owner, ticker);
    if ((await this.connection.getAccountInfo(account)) === null) return null;
    return getAccount(this.connection, account, 'confirmed', this.program(ticker));
  }

  /** A new wallet with tokens and lamports. */
  async newPayer(amount: bigint, ticker = 'USDC'): Promise<Keypair> {
    const payer = Keypair.generate();
    await this.untilDone(await this.connection.requestAirdrop(payer.publicKey, 1_000_000_000));
    await this.mintTo(payer.publicKey, amount, ticker);
    return payer;
  }

  async mintTo(owner: PublicKey, amount: bigint, ticker = 'USDC'): Promise<void> {
    const [mint, account, program] = [this.mint(ticker), this.accountOf(owner, ticker), this.program(ticker)];
    const { authority } = this;
    await this.act(
      [
        createAssociatedTokenAccountIdempotentInstruction(authority.publicKey, account, owner, mint, program),
        createMintToCheckedInstruction(mint, account, authority.publicKey, amount, 6, [], program),
      ],
      authority,
    );
  }

  async approve(owner: Keypair, delegate: string, amount: bigint, ticker = 'USDC'): Promise<string> {
    const [mint, account, program] = [this.mint(ticker), this.accountOf(owner.publicKey, ticker), this.program(ticker)];
    const to = new PublicKey(delegate);
    return this.act(
      [createApproveCheckedInstruction(account, mint, to, owner.publicKey, amount, 6, [], program)],
      owner,
    );
  }

  async revoke(owner: Keypair, ticker = 'USDC'): Promise<string> {
    const account = this.accountOf(owner.publicKey, ticker);
    return this.act([createRevokeInstruction(account, owner.publicKey, [], this.program(ticker))], owner);
  }

  async transfer(owner: Keypair, to: PublicKey, amount: bigint, ticker = 'USDC'): Promise<string> {
    return this.act(this.#transferring(owner, to, amount, ticker), owner);
  }

  /** The same, by a transaction that the node shows with this version from its first block on. */
  async transferAs(version: number, owner: Keypair, to: PublicKey, amount: bigint): Promise<string> {
    const raw = await this.signed(this.#transferring(owner, to, amount, 'USDC'), owner);
    await callSolana(this.rpcUrl, 'tideline_showAs', [toBase58(raw.subarray(1, 65)), version]);
    const signature = await this.connection.sendRawTransaction(raw);
    await this.untilDone(signature);
    return signature;
  }

  #transferring(owner: Keypair, to: PublicKey, amount: bigint, ticker: string): TransactionInstruction[] {
    const [mint, program] = [this.mint(ticker), this.program(ticker)];
    const [from, account] = [this.accountOf(owner.publicKey, ticker), this.accountOf(to, ticker)];
    return [
      createAssociatedTokenAccountIdempotentInstruction(owner.publicKey, account, to, mint, program),
      createTransferCheckedInstruction(from, mint, account, owner.publicKey, amount, 6, [], program),
    ];
  }

  /** A token of 6 decimals outside of every catalog, with an amount for `owner`. Returns its mint. */
  async strangeToken(owner: PublicKey, amount: bigint, program: PublicKey): Promise<PublicKey> {
    const [{ authority }, mint] = [this, Keypair.generate()];
    const account = getAssociatedTokenAddressSync(mint.publicKey, owner, true, program);
    await this.act(
      [
        await this.#accountOfBytes(mint.publicKey, MINT_SIZE, program),
        createInitializeMint2Instruction(mint.publicKey, 6, authority.publicKey, null, program),
        createAssociatedTokenAccountIdempotentInstruction(authority.publicKey, account, owner, mint.publicKey, program),
        createMintToCheckedInstruction(mint.publicKey, account, authority.publicKey, amount, 6, [], program),
      ],
      authority,
      mint,
    );
    return mint.publicKey;
  }

  /** A token account beside the associated one, with this amount. */
  async otherAccount(owner: PublicKey, amount: bigint): Promise<PublicKey> {
    const [{ authority }, account] = [this, Keypair.generate()];
    const [mint, program] = [this.mint(), this.program()];
    await this.act(
      [
        await this.#accountOfBytes(account.publicKey, ACCOUNT_SIZE, program),
        createInitializeAccount3Instruction(account.publicKey, mint, owner, program),
        createMintToCheckedInstruction(mint, account.publicKey, authority.publicKey, amount, 6, [], program),
      ],
      authority,
      account,
    );
    return account.publicKey;
  }

  async #accountOfBytes(newAccountPubkey: PublicKey, space: number, programId: PublicKey) {
    const lamports = await this.connection.getMinimumBalanceForRentExemption(space);
    const fromPubkey = this.authority.publicKey;
    return SystemProgram.createAccount({ fromPubkey, newAccountPubkey, space, lamports, programId });
  }

  async sendLamports(from: Keypair, toPubkey: PublicKey, lamports: number | bigint): Promise<string> {
    return this.act([SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey, lamports })], from);
  }

  async freeze(owner: PublicKey, ticker = 'USDC', on = true): Promise<string> {
    const { publicKey } = this.authority;
    const [mint, account, program] = [this.mint(ticker), this.accountOf(owner, ticker), this.program(ticker)];
    const make = on ? createFreezeAccountInstruction : createThawAccountInstruction;
    return this.act([make(account, mint, publicKey, [], program)], this.authority);
  }

  get authority(): Keypair {
    return Keypair.fromSeed(localSeed('authority of the test tokens'));
  }

  /** Signed by all; the first pays. Returns its signature when it is confirmed. Throws if it failed. */
  async act(instructions: TransactionInstruction[], ...signers: Keypair[]): Promise<string> {
    const signature = await this.send(instructions, ...signers);
    const { err } = await this.untilDone(signature);
    if (err !== null) throw new Error(`${signature} failed: ${JSON.stringify(err)}`);
    return signature;
  }

  /** The same with one more signer, which is a key of the service. */
  async actWith(instructions: TransactionInstruction[], payer: Keypair, signer: SolanaKey): Promise<string> {
    const newest = await this.connection.getLatestBlockhash();
    const transaction = new Transaction({ ...newest, feePayer: payer.publicKey }).add(...instructions);
    transaction.partialSign(payer);
    const signature = signer.sign(transaction.serializeMessage());
    transaction.addSignature(new PublicKey(signer.address), Buffer.from(signature));
    const sent = await this.connection.sendRawTransaction(transaction.serialize());
    await this.untilDone(sent);
    return sent;
  }

  async send(instructions: TransactionInstruction[], ...signers: Keypair[]): Promise<string> {
    return this.connection.sendRawTransaction(await this.signed(instructions, ...signers));
  }

  async signed(instructions: TransactionInstruction[], ...signers: Keypair[]): Promise<Buffer> {
    const [payer] = signers;
    if (!payer) throw new Error('somebody has to sign');
    const { blockhash, lastValidBlockHeight } = await this.connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: payer.publicKey, blockhash, lastValidBlockHeight });
    transaction.add(...instructions).sign(...signers);
    return transaction.serialize();
  }

  /** Its status when it is confirmed. */
  async untilDone(signature: string): Promise<SignatureStatus> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const [status] = (await this.connection.getSignatureStatuses([signature])).value;
      if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return status;
      if (performance.now() > deadline) throw new Error(`${signature} is not confirmed after ${PATIENCE_MS} ms`);
      await delay(POLL_MS);
    }
  }
}

function keypairOf(secretKey: string): Keypair {
  const bytes = fromBase58(secretKey);
  if (!bytes) throw new Error('not base58');
  return Keypair.fromSecretKey(bytes);
}

/** One call of the chain's JSON-RPC. Throws with the node's message. */
export async function callSolana(rpcUrl: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer: unknown = await response.json();
  if (typeof answer === 'object' && answer !== null && 'result' in answer) return answer.result;
  throw new Error(`${method}: ${JSON.stringify(answer)}`);
}
