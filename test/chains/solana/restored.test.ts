import { type Keypair, PublicKey } from '@solana/web3.js';
import { Delegates } from '../../../src/chains/solana/delegates.ts';
import { rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { keyFromSecret } from '../../../src/chains/solana/keys.ts';
import { markRestored, readMark } from '../../../src/chains/solana/restored/mark.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { callSolana, type LocalSolana, SolanaUser, startLocalSolana } from '../../support/solana.ts';
import { CHAIN_ID, SolanaBench, solanaCharge } from './bench.ts';

/**
 * A ledger that is older than its chain. No program on Solana refuses a key, so nothing may be charged before the
 * ledger knows the chain's charges.
 */
let local: LocalSolana;
let user: SolanaUser;
const benches: SolanaBench[] = [];

beforeAll(async () => {
  local = await startLocalSolana();
  user = new SolanaUser(local.world);
});
afterEach(async () => {
  local.chain.hold(false);
  for (const bench of benches.splice(0)) await bench.stop();
});
afterAll(() => local?.stop());

async function payer(): Promise<Keypair> {
  const key = await user.newPayer(100_000_000n);
  await user.approve(
    key,
    new Delegates(rootOfSeed(local.world.operatorSeed)).of({ merchantId: 'mrc_a', mode: 'test' }, false).address,
    2n ** 64n - 1n,
  );
  return key;
}

function chargeOf(key: Keypair): ChargeDoc {
  return solanaCharge(local.world, { from: key.publicKey.toBase58() });
}

function benched(): SolanaBench {
  const bench = new SolanaBench(local);
  benches.push(bench);
  return bench;
}

/** A store with these charges, like a backup from before they were sent. */
async function restored(...charges: readonly ChargeDoc[]): Promise<SolanaBench> {
  const bench = benched();
  await bench.records.insert('charges', charges);
  return bench;
}

/** The life of a blockhash, all of it finalized. */
function letPass(): void {
  local.chain.skip(150 + 32 + 2);
}

function waits(bench: SolanaBench, chain: ReturnType<SolanaBench['chain']>): Promise<void> {
  return bench.until('charges wait, and health says why', async () =>
    String((await chain.health()).trouble).includes('can land up to block'),
  );
}

describe('a ledger that is older than the chain', () => {
  it("is found out at the start: nothing is charged before the chain's charges are reconciled", async () => {
    const [known, other] = [await payer(), await payer()];
    const [charged, fresh] = [chargeOf(known), chargeOf(other)];
    const lost = benched();
    await lost.chain().start();
    await lost.charge(charged);
    await lost.untilState([charged], 'final');
    await lost.stop();

    const bench = await restored(charged, fresh);
    const chain = bench.chain({ searchesForUnknown: true });
    await chain.start();
    await waits(bench, chain);
    expect((await chain.health()).trouble).toMatch(
      /^charges wait: the ledger is older than the chain and lacks transactions of \w+, such as \w+/,
    );
    expect((await bench.read(fresh)).state).toBe('waiting');

    letPass();
    await bench.untilState([charged, fresh], 'final');
    expect((await bench.read(charged)).txHash).toBe((await lost.read(charged)).txHash);
    expect(await user.balanceOf(known.publicKey)).toBe(90_000_000n);
    expect(await user.balanceOf(other.publicKey)).toBe(90_000_000n);
    await bench.until('health shows no trouble', async () => (await chain.health()).trouble === null);
    expect(await readMark(bench.records, CHAIN_ID)).toBeNull();
  });

  it('does not charge again a transaction that was sent but had not landed at the restore', async () => {
    const key = await payer();
    const charge = chargeOf(key);
    const lost = benched();
    await lost.chain().start();
    local.chain.hold(true);
    await lost.charge(charge);
    await lost.untilState([charge], 'sent');
    await lost.stop();

    // The chain shows nothing of it, so a person must say it.
    const bench = await restored(charge);
    await markRestored(bench.records, CHAIN_ID, 'the database was restored from a backup');
    const chain = bench.chain();
    await chain.start();
    await waits(bench, chain);
    local.chain.hold(false);
    await bench.until('it has landed', async () => (await user.balanceOf(key.publicKey)) === 90_000_000n);
    letPass();
    await bench.untilState([charge], 'final');
    expect((await bench.read(charge)).txHash).toBe((await lost.read(charge)).txHash ?? (await sentIn(lost, charge)));
    expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  });

  it('recognises by its key a charge that it reaches later', async () => {
    const key = await payer();
    const charge = chargeOf(key);
    const lost = benched();
    await lost.chain().start();
    await lost.charge(charge);
    await lost.untilState([charge], 'final');
    await lost.stop();

    const bench = benched();
    const chain = bench.chain({ searchesForUnknown: true });
    await chain.start();
    await waits(bench, chain);
    letPass();
    await bench.until(
      'it has been found',
      async () => (await bench.records.get('foundCharges', [charge.key])).length === 1,
    );
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    expect(await user.balanceOf(key.publicKey)).toBe(90_000_000n);
  });

  it('is not suspended for transfers of others to a fee payer, nor after a restart on the same store', async () => {
    const bench = benched();
    const charge = chargeOf(await payer());
    const first = bench.chain({ searchesForUnknown: false });
    await first.start();
    await bench.charge(charge);
    await bench.untilState([charge], 'final');
    await first.stop();
    await user.untilDone(await user.connection.requestAirdrop(feePayer(), 1_000));
    // Others choose the version of their transactions.
    const sent = await user.transfer(await user.newPayer(5n), feePayer(), 5n);
    await callSolana(local.rpcUrl, 'tideline_showAs', [sent, 1]);

    const next = chargeOf(await payer());
    const second = bench.chain({ searchesForUnknown: true });
    await second.start();
    await bench.charge(next);
    await bench.untilState([next], 'final');
    expect(await readMark(bench.records, CHAIN_ID)).toBeNull();
  });
});

function feePayer(): PublicKey {
  return new PublicKey(keyFromSecret(local.world.feePayers[0] ?? '').address);
}

async function sentIn(bench: SolanaBench, charge: ChargeDoc): Promise<string | undefined> {
  const [transaction] = await bench.records.find('transactions', { where: { chargeIds: charge._id }, limit: 1 });
  return transaction?.versions[0]?.hash;
}
