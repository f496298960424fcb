import { markRestored, readMark } from '../../../src/chains/solana/restored/mark.ts';
import type { ChargeDoc, TransactionDoc } from '../../../src/store/collections.ts';
import { useSolana } from './bench.ts';
import { CHAIN_ID } from './world.ts';

/**
 * A ledger that is older than its chain. No program on Solana refuses a key, so nothing may be charged before the
 * ledger knows the chain's charges.
 */
const { world, bench } = useSolana();

/** A charge that is made, and is then missing in the store. Returns its transaction. */
async function lostAfter(state: 'final' | 'sent', charge: ChargeDoc): Promise<TransactionDoc> {
  await bench.start();
  await bench.charge(charge);
  await bench.untilState([charge], state);
  await bench.stop();
  const transaction = await bench.transactionOf(charge);
  bench.forget();
  return transaction;
}

describe('a ledger that is older than the chain', () => {
  it("is found out at the start: nothing is charged before the chain's charges are reconciled", async () => {
    const [charged, fresh] = [await bench.newCharge(), await bench.newCharge()];
    const lost = await lostAfter('final', charged);
    await bench.charge(charged, fresh);
    const chain = await bench.start({ searchesForUnknown: true });
    await bench.untilTrouble(chain, 'can land up to block');
    expect((await chain.health()).trouble).toMatch(
      /^charges wait: the ledger is older than the chain and lacks transactions of \w+, such as \w+/,
    );
    expect((await bench.read(fresh)).state).toBe('waiting');

    world.letExpire();
    await bench.untilState([charged, fresh], 'final');
    expect((await bench.read(charged)).txHash).toBe(lost.versions[0]?.hash);
    await bench.expectPulledOnce(charged, fresh);
    await bench.untilWell(chain);
    expect(await readMark(bench.records, CHAIN_ID)).toBeNull();
  });

  it('does not charge again a transaction that was sent but had not landed at the restore', async () => {
    const charge = await bench.newCharge();
    world.hold();
    const lost = await lostAfter('sent', charge);
    // The chain shows nothing of it, so a person must say it.
    await bench.charge(charge);
    await markRestored(bench.records, CHAIN_ID, 'the database was restored from a backup');
    await bench.untilTrouble(await bench.start(), 'can land up to block');
    world.pump();
    await bench.until('it has landed', async () => (await world.pulls(charge.from)).length > 0);
    world.letExpire();
    await bench.untilState([charge], 'final');
    expect((await bench.read(charge)).txHash).toBe(lost.versions[0]?.hash);
    await bench.expectPulledOnce(charge);
  });

  it('recognises by its key a charge that it reaches later', async () => {
    const charge = await bench.newCharge();
    await lostAfter('final', charge);
    const chain = await bench.start({ searchesForUnknown: true });
    await bench.untilTrouble(chain, 'can land up to block');
    world.letExpire();
    await bench.until(
      'it has been found',
      async () => (await bench.records.get('foundCharges', [charge.key])).length === 1,
    );
    await bench.settle(charge);
    await bench.expectPulledOnce(charge);
  });

  it('is not suspended for transfers of others to a fee payer, nor after a restart on the same store', async () => {
    const first = await bench.start({ searchesForUnknown: false });
    await bench.settle(await bench.newCharge());
    await first.stop();
    const { user, feePayer } = world;
    await user.untilDone(await user.connection.requestAirdrop(feePayer.publicKey, 1_000));
    // Others choose the version of their transactions.
    await world.showAs(await user.transfer(await user.newPayer(5n), feePayer.publicKey, 5n), 1);

    const next = await bench.newCharge();
    await bench.start({ searchesForUnknown: true });
    await bench.settle(next);
    expect(await readMark(bench.records, CHAIN_ID)).toBeNull();
  });
});
