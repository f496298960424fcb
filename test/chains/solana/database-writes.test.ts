import { PublicKey, TransactionInstruction } from '@solana/web3.js';
import { MEMO_PROGRAM } from '../../../src/chains/solana/programs.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { mandateCharge } from '../support/mandates.ts';
import { useBounded } from './bounded.ts';
import { mentionOf } from './mentions.ts';
import { signedMandate } from './signed-mandates.ts';

/** Documents are deleted, changed or inserted. The chain decides what is signed, and the balances are the judge. */

const { world, bench, store, mandated, refused, taken, namedBy } = useBounded();

describe('a thief who writes to the database', () => {
  /** As if the documents of a charge were deleted: nothing finds it any more. */
  async function erase(charge: ChargeDoc): Promise<void> {
    const { transactionId } = await bench.read(charge);
    const nowhere = { state: 'withdrawn', transactionId: null, txHash: null, 'mandate.id': 'none' };
    await bench.records.change('charges', charge._id, {}, { set: nowhere });
    const set = { state: 'expired', chargeIds: [], versions: [] } as const;
    await bench.records.change('transactions', transactionId ?? '', {}, { set });
  }

  it.each(['runs on', 'is restarted'])(
    'takes one charge ahead of the rhythm, and no more, if the signer %s',
    async (how) => {
      const mandate = await mandated({ charges: 12 });
      let chain = await bench.start();
      for (const cycle of [1, 2]) {
        const charge = mandateCharge(world, mandate, cycle);
        await bench.settle(charge);
        await erase(charge);
        if (how === 'is restarted') {
          await bench.stop();
          bench.forget();
          await store(mandate);
          chain = await bench.start();
        }
      }
      for (const cycle of [3, 4]) {
        expect((await refused(mandateCharge(world, mandate, cycle))).refusal?.kind).toBe('ahead_of_rhythm');
      }
      await bench.untilTrouble(
        chain,
        /the database lacks charge 2 under the agreement of mandate 0x\w+, transaction \w+/,
      );
      expect(await taken(mandate.payer)).toBe(20_000_000n);
    },
  );

  it('has a purchase that was signed as one charge paid once, also while its transaction is under way', async () => {
    const mandate = await mandated({ charges: 1, interval: 0 });
    const [paid, again, more] = [1, 2, 3].map((cycle) => mandateCharge(world, mandate, cycle));
    if (paid === undefined || again === undefined || more === undefined) throw new Error('three charges');
    await bench.start();
    world.hold();
    await bench.send(paid);
    await erase(paid);
    await bench.charge(again);
    await bench.until(
      'the charge was taken and put back',
      async () => (await bench.read(again)).updatedAt > again.updatedAt,
    );
    expect(await bench.transactionsOf(again)).toEqual([]);
    world.pump();
    await bench.untilState([again], 'refused');
    expect((await refused(more)).refusal?.kind).toBe('used_up');
    expect(await taken(mandate.payer)).toBe(10_000_000n);
  });

  it('cannot bring back a mandate that its payer has replaced', async () => {
    const first = await mandated({ interval: 0 });
    const second = signedMandate(world, first.payer, { ...first, issuedAt: first.issuedAt + 1 });
    await store(second);
    await bench.start();
    const charge = mandateCharge(world, second, 1);
    await bench.settle(charge);
    await erase(charge);
    expect((await refused(mandateCharge(world, first, 2))).refusal?.kind).toBe('superseded');
    expect(await taken(first.payer)).toBe(10_000_000n);
  });

  it('makes charges wait on a node that has forgotten when the mandate was signed', async () => {
    const mandate = await mandated({ issuedAt: 1, charges: 1 });
    const chain = await bench.start();
    const charge = mandateCharge(world, mandate);
    await bench.charge(charge);
    await bench.untilTrouble(chain, 'the nodes have forgotten the time in which it may have been charged');
    expect(await bench.transactionsOf(charge)).toEqual([]);
    expect(await taken(mandate.payer)).toBe(0n);
  });

  it('stops an agreement under which two processes have signed the same number', async () => {
    const mandate = await mandated();
    const first = mandateCharge(world, mandate, 1);
    await bench.start();
    await bench.settle(first);
    await bench.stop();
    const found = world.chain.records.get((await bench.read(first)).txHash ?? '');
    const delegate = world.delegates.of(mandate, true);
    const memo = new TransactionInstruction({
      programId: new PublicKey(MEMO_PROGRAM),
      keys: [{ pubkey: new PublicKey(delegate.address), isSigner: true, isWritable: false }],
      data: Buffer.from(/tideline:.*/.exec(found?.memo ?? '')?.[0] ?? ''),
    });
    await world.user.actWith([memo, mentionOf(await namedBy(first))], await world.user.newPayer(1n), delegate);
    const chain = await bench.start();
    await bench.charge(mandateCharge(world, mandate, 2));
    await bench.untilTrouble(chain, 'two transactions charge one number of its agreement');
    expect(await taken(mandate.payer)).toBe(10_000_000n);
  });
});
