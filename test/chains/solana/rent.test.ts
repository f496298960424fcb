import type { ChargeDoc } from '../../../src/store/collections.ts';
import { createCloseAccountInstruction } from '../../support/solana.ts';
import { useSolana } from './bench.ts';
import { UNLIMITED } from './world.ts';

/**
 * Anyone who owns a token account can close it and keep its rent. The lamports of the fee payer and of the owner are
 * the judges.
 */
const { world, bench } = useSolana();
let payer: string;

beforeAll(async () => {
  payer = await world.payer('mrc_a', { allowance: 0n });
  const { address } = world.delegates.of({ merchantId: 'mrc_a', mode: 'live' }, false);
  await world.approveDelegate(payer, address, UNLIMITED);
});
beforeEach(() => bench.start());

/** Signatures and compute units of one charge cost less. */
const FEES = 100_000;
const RENT = 2_039_280;

function charge(to: string, platform: string | null = null): ChargeDoc {
  const shares = [
    ['forward', to, platform === null ? 1n : 90n],
    ...(platform === null ? [] : [['platform', platform, 10n] as const]),
  ] as const;
  return { ...bench.chargeOf({ from: payer, gross: platform === null ? 1n : 100n, shares }), mode: 'live' };
}

function feePayer(): Promise<number> {
  return world.user.connection.getBalance(world.feePayer.publicKey);
}

async function expectRefused(doc: ChargeDoc): Promise<void> {
  await bench.refuse(doc);
  expect(bench.listener.of(doc)).toEqual([{ kind: 'undeliverable', reason: 'forward_reverted' }]);
  const text = `${doc.shares[0]?.to} is a wallet without an account for the token ${doc.token}, because nobody else pays the rent for one`;
  expect((await bench.read(doc)).refusal).toEqual({ kind: 'no_account', text });
}

describe('the rent for the account of a recipient', () => {
  it('is not paid for anybody, however often a wallet closes its account', async () => {
    const merchant = world.stranger();
    const { publicKey } = world.keyOf(merchant);
    const before = await feePayer();
    await expectRefused(charge(merchant));
    expect(await feePayer()).toBe(before);

    const { user } = world;
    await user.untilDone(await user.connection.requestAirdrop(publicKey, 1_000_000_000));
    await world.mint(merchant, 0n);
    await bench.settle(charge(merchant));
    expect(before - (await feePayer())).toBeLessThan(FEES);

    await world.transfer(merchant, user.authority.publicKey.toBase58(), 1n);
    const close = createCloseAccountInstruction(user.accountOf(merchant), publicKey, publicKey);
    await user.act([close], world.keyOf(merchant));
    const between = await feePayer();
    await expectRefused(charge(merchant));
    expect(await feePayer()).toBe(between);
  });

  it('is paid for the platform itself', async () => {
    const [merchant, platform] = [world.stranger(), world.stranger()];
    await world.mint(merchant, 0n);
    const before = await feePayer();
    await bench.settle(charge(merchant, platform));
    expect(await world.balanceOf(platform)).toBe(10n);
    expect(before - (await feePayer())).toBeGreaterThan(RENT);
  });

  it('is a reason to refuse a wallet when it is named', async () => {
    const [merchant, chain] = [world.stranger(), bench.chain()];
    const why = () => chain.whyUnsuitable(merchant, 'payee', [world.token]);
    expect(await why()).toBe(
      `a wallet without an account for the token ${world.token}, because nobody else pays the rent for one; open one first`,
    );
    await world.mint(merchant, 0n);
    expect(await why()).toBeNull();
    expect(await chain.whyUnsuitable(world.stranger(), 'payee')).toBeNull();
  });
});
