import { Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import { chargeIdOf } from '../../../src/chains/charges.ts';
import { mandateKey } from '../../../src/chains/mandate-reader.ts';
import { fromBase58 } from '../../../src/chains/solana/base58.ts';
import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import type { ChargeDoc, ChargeShare, MandateDoc } from '../../../src/store/collections.ts';
import { type LocalSolana, SolanaUser, startLocalSolana } from '../../support/solana.ts';
import { SolanaBench, solanaCharge, walletOf } from '../solana/bench.ts';
import { signedMandate } from '../solana/signed-mandates.ts';
import { note, type PlayBench, type Playground, type Pull } from './playground.ts';

class SolanaPlayBench extends SolanaBench implements PlayBench {
  readonly #mandates: ReadonlyMap<string, MandateDoc>;

  constructor(local: Omit<LocalSolana, 'sockets'>, mandates: ReadonlyMap<string, MandateDoc>) {
    super(local);
    this.#mandates = mandates;
  }

  /** Stores the mandates of the charges as well. */
  override async charge(...charges: ChargeDoc[]): Promise<void> {
    await this.records.insert(
      'mandates',
      charges.flatMap(({ key }) => this.#mandates.get(key) ?? []),
    );
    await super.charge(...charges);
  }

  play(wish: Parameters<PlayBench['play']>[0] = {}) {
    const { charges, ...shared } = wish;
    return this.chain({ ...shared, ...(charges === undefined ? {} : { sizes: { charges } }) });
  }
}

const UNLIMITED = 2n ** 64n - 1n;
const MILLION = 1_000_000_000_000n;

/**
 * On the mint of this ticker: USDC is a Token mint, USDT a Token-2022 mint. `isBounded`: payers approve the delegate
 * for mandates, and sign one for each charge.
 */
export async function solanaPlayground(
  ticker: 'USDC' | 'USDT',
  open: () => Promise<Omit<LocalSolana, 'sockets'>> = startLocalSolana,
  isBounded = false,
): Promise<Playground> {
  const local = await open();
  const { world, chain } = local;
  const user = new SolanaUser(world);
  const delegates = new Delegates(rootOfSeed(world.operatorSeed));
  const wallets = new Map<string, Keypair>();
  const keyOf = (wallet: string): Keypair => {
    const key = wallets.get(wallet);
    if (!key) throw new Error(`${wallet} is not of this playground`);
    return key;
  };
  const stranger = (): Keypair => {
    const key = Keypair.generate();
    wallets.set(key.publicKey.toBase58(), key);
    return key;
  };
  const approve = async (wallet: string, merchantId: string, amount: bigint): Promise<void> => {
    await user.approve(keyOf(wallet), delegates.of({ merchantId, mode: 'test' }, isBounded).address, amount, ticker);
  };
  const mandates = new Map<string, MandateDoc>();
  /** A charge of a deposit has no payer who signs. */
  const bounded = (charge: ChargeDoc): ChargeDoc => {
    const payer = wallets.get(charge.from);
    if (!payer) return charge;
    const { merchantId, token, gross, shares } = charge;
    const [payees, [platform = world.platform]] = [recipients(shares, false), recipients(shares, true)];
    const terms = { merchantId, token, perCharge: gross, interval: 0, feeBps: 10_000, platform, payees };
    const mandate = mandates.get(charge.key) ?? signedMandate(world, payer, terms);
    const key = mandateKey(mandate.agreement, 1);
    mandates.set(key, mandate);
    const _id = chargeIdOf(key, charge.attempt, 0);
    return { ...charge, _id, key, paymentId: `pay_${key}`, mandate: { id: mandate._id, cycle: 1 } };
  };
  return {
    chainId: 104,
    rpcUrl: local.rpcUrl,
    token: user.mint(ticker).toBase58(),
    merchant: walletOf(world, 'merchant'),
    platform: world.platform,
    ...(isBounded ? { consent: { isBounded, router: null } } : {}),
    bench: () => new SolanaPlayBench(local, mandates),
    async payer(merchantId, { balance = MILLION, allowance = UNLIMITED } = {}) {
      const key = await user.newPayer(balance, ticker);
      const wallet = key.publicKey.toBase58();
      wallets.set(wallet, key);
      if (allowance > 0n) await approve(wallet, merchantId, allowance);
      return wallet;
    },
    stranger: () => stranger().publicKey.toBase58(),
    approve,
    mint: (wallet, amount) => user.mintTo(new PublicKey(wallet), amount, ticker),
    async spend(wallet, amount) {
      await user.transfer(keyOf(wallet), user.authority.publicKey, amount, ticker);
    },
    async send(wallet, to, amount) {
      await user.transfer(keyOf(wallet), new PublicKey(to), amount, ticker);
    },
    async freeze(wallet) {
      await user.freeze(new PublicKey(wallet), ticker);
    },
    async refuse(wallet) {
      const owner = new PublicKey(wallet);
      await user.mintTo(owner, 0n, ticker);
      await user.freeze(owner, ticker);
    },
    charge(wish) {
      const charge = solanaCharge(world, { ...wish, ticker });
      return isBounded ? bounded(charge) : charge;
    },
    balanceOf: async (wallet) => (await user.balanceOf(wallet, ticker)) ?? 0n,
    async pulls(wallet) {
      const account = user.accountOf(wallet, ticker).toBase58();
      const found: Pull[] = [];
      for (const record of chain.records.naming(account)) {
        const index = record.accounts.indexOf(account);
        const amountIn = (list: typeof record.preTokenBalances): bigint =>
          BigInt(list.find(({ accountIndex }) => accountIndex === index)?.uiTokenAmount.amount ?? 0);
        const amount = amountIn(record.preTokenBalances) - amountIn(record.postTokenBalances);
        const isCharge = record.memo?.includes('tideline:') ?? false;
        if (amount > 0n && isCharge) found.unshift({ amount, txHash: record.signature });
      }
      return found;
    },
    async movements() {
      const moved = new Map<string, Map<string, bigint>>();
      const mint = user.mint(ticker).toBase58();
      for (const { signature, memo, preTokenBalances, postTokenBalances } of chain.records.naming(mint)) {
        if (!memo?.includes('tideline:')) continue;
        for (const { owner, uiTokenAmount } of preTokenBalances) {
          note(moved, signature, owner, -BigInt(uiTokenAmount.amount));
        }
        for (const { owner, uiTokenAmount } of postTokenBalances) {
          note(moved, signature, owner, BigInt(uiTokenAmount.amount));
        }
      }
      return moved;
    },
    passers: ['mrc_a', 'mrc_b'].map((id) => delegates.of({ merchantId: id, mode: 'test' }, isBounded).address),
    hold: async (on) => chain.hold(on),
    finalize: async () => chain.skip(40),
    async impoverish() {
      const [feePayer] = world.feePayers;
      const key = Keypair.fromSecretKey(fromBase58(feePayer ?? '') ?? new Uint8Array());
      const all = BigInt(await user.connection.getBalance(key.publicKey, 'processed')) - 900_000n;
      const move = (from: Keypair, to: PublicKey) =>
        user.act([SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: all })], from);
      const bank = stranger();
      await move(key, bank.publicKey);
      await user.untilDone(await user.connection.requestAirdrop(bank.publicKey, 1_000_000_000));
      return async () => void (await move(bank, key.publicKey));
    },
    isBroadcast: ({ method }) => method === 'sendTransaction',
    comparable: (wallet) => wallet,
    stop: () => local.stop(),
  };
}

function recipients(shares: readonly ChargeShare[], isPlatform: boolean): string[] {
  return shares.filter(({ role }) => (role === 'platform') === isPlatform).map(({ to }) => to);
}
