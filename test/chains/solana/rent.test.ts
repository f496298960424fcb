import { Keypair, type PublicKey } from '@solana/web3.js';
import { fromBase58 } from '../../../src/chains/solana/base58.ts';
import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { createCloseAccountInstruction, type LocalSolana, SolanaUser, startLocalSolana } from '../../support/solana.ts';
import { SolanaBench, solanaCharge } from './bench.ts';

/**
 * Anyone who owns a token account can close it and keep its rent. The lamports of the fee payer and of the owner are
 * the judges.
 */
let local: LocalSolana;
let user: SolanaUser;
let bench: SolanaBench;
let payer: Keypair;

beforeAll(async () => {
  local = await startLocalSolana();
  user = new SolanaUser(local.world);
  payer = await user.newPayer(100_000_000n);
  const delegate = new Delegates(rootOfSeed(local.world.operatorSeed)).of({ merchantId: 'mrc_a', mode: 'live' }, false);
  await user.approve(payer, delegate.address, 2n ** 64n - 1n);
});
beforeEach(async () => {
  bench = new SolanaBench(local);
  await bench.chain().start();
});
afterEach(() => bench?.stop());
afterAll(() => local?.stop());

/** Signatures and compute units of one charge cost less. */
const FEES = 100_000;
const RENT = 2_039_280;

const fresh = (): Keypair => Keypair.generate();

function charge(to: PublicKey, platform: PublicKey | null = null): ChargeDoc {
  const shares = [
    ['forward', to.toBase58(), platform === null ? 1n : 90n],
    ...(platform === null ? [] : [['platform', platform.toBase58(), 10n] as const]),
  ] as const;
  const from = payer.publicKey.toBase58();
  return { ...solanaCharge(local.world, { from, gross: platform === null ? 1n : 100n, shares }), mode: 'live' };
}

function feePayer(): Promise<number> {
  const secret = fromBase58(local.world.feePayers[0] ?? '') ?? new Uint8Array();
  return user.connection.getBalance(Keypair.fromSecretKey(secret).publicKey);
}

async function refused(doc: ChargeDoc): Promise<void> {
  await bench.charge(doc);
  await bench.untilState([doc], 'refused', 'final');
  expect(bench.listener.of(doc)).toEqual([{ kind: 'undeliverable', reason: 'forward_reverted' }]);
  const text = `${doc.shares[0]?.to} is a wallet without an account for the token ${doc.token}, because nobody else pays the rent for one`;
  expect((await bench.read(doc)).refusal).toEqual({ kind: 'no_account', text });
}

describe('the rent for the account of a recipient', () => {
  it('is not paid for anybody, however often a wallet closes its account', async () => {
    const merchant = fresh();
    const before = await feePayer();
    await refused(charge(merchant.publicKey));
    expect(await feePayer()).toBe(before);

    await user.untilDone(await user.connection.requestAirdrop(merchant.publicKey, 1_000_000_000));
    await user.mintTo(merchant.publicKey, 0n);
    const paid = charge(merchant.publicKey);
    await bench.charge(paid);
    await bench.untilState([paid], 'final');
    expect(before - (await feePayer())).toBeLessThan(FEES);

    await user.transfer(merchant, user.authority.publicKey, 1n);
    const account = user.accountOf(merchant.publicKey);
    await user.act([createCloseAccountInstruction(account, merchant.publicKey, merchant.publicKey)], merchant);
    const between = await feePayer();
    await refused(charge(merchant.publicKey));
    expect(await feePayer()).toBe(between);
  });

  it('is paid for the platform itself', async () => {
    const [merchant, platform] = [fresh(), fresh()];
    await user.mintTo(merchant.publicKey, 0n);
    const before = await feePayer();
    const doc = charge(merchant.publicKey, platform.publicKey);
    await bench.charge(doc);
    await bench.untilState([doc], 'final');
    expect(await user.balanceOf(platform.publicKey)).toBe(10n);
    expect(before - (await feePayer())).toBeGreaterThan(RENT);
  });

  it('is a reason to refuse a wallet when it is named', async () => {
    const [merchant, chain] = [fresh(), bench.chain()];
    const why = () => chain.whyUnsuitable(merchant.publicKey.toBase58(), 'payee', [user.mint().toBase58()]);
    expect(await why()).toBe(
      `a wallet without an account for the token ${user.mint().toBase58()}, because nobody else pays the rent for one; open one first`,
    );
    await user.mintTo(merchant.publicKey, 0n);
    expect(await why()).toBeNull();
    expect(await chain.whyUnsuitable(fresh().publicKey.toBase58(), 'payee')).toBeNull();
  });
});
