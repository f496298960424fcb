import { PublicKey, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { z } from 'zod';
import { keyFromSecret } from '../../../../src/chains/solana/keys.ts';
import { MEMO_PROGRAM } from '../../../../src/chains/solana/programs.ts';
import { SimSolana } from '../../../../tools/simulate/solana/node.ts';

const SLOT_MS = 400;
/** A blockhash is invalid this many blocks after its own. */
const LIFE = 150;

const latestSchema = z.object({ value: z.object({ blockhash: z.string(), lastValidBlockHeight: z.number() }) });
const statusesSchema = z.object({
  value: z.array(z.object({ slot: z.number(), confirmationStatus: z.string(), err: z.unknown() }).nullable()),
});

/** A chain on a clock that is moved by hand. */
class Bench {
  now = 1_800_000_000_000;
  readonly sim: SimSolana;

  constructor() {
    this.sim = new SimSolana({ now: () => this.now, random: () => 0.5 }, SLOT_MS);
  }

  pass(slots: number): void {
    this.now += slots * SLOT_MS;
  }

  /** The signature of a transaction with this memo and the newest blockhash. */
  send(memo: string): string {
    const { blockhash } = latestSchema.parse(this.sim.ask('getLatestBlockhash', [{ commitment: 'processed' }])).value;
    const key = keyFromSecret(this.sim.world.feePayers[0] ?? '');
    const payerKey = new PublicKey(key.address);
    const says = new TransactionInstruction({
      programId: new PublicKey(MEMO_PROGRAM),
      keys: [],
      data: Buffer.from(memo),
    });
    const message = new TransactionMessage({ payerKey, recentBlockhash: blockhash, instructions: [says] });
    const transaction = new VersionedTransaction(message.compileToLegacyMessage());
    transaction.addSignature(payerKey, key.sign(transaction.message.serialize()));
    const bytes = Buffer.from(transaction.serialize()).toString('base64');
    return String(this.sim.ask('sendTransaction', [bytes, { encoding: 'base64', skipPreflight: true }]));
  }

  status(signature: string) {
    const options = { searchTransactionHistory: true };
    return statusesSchema.parse(this.sim.ask('getSignatureStatuses', [[signature], options])).value[0] ?? null;
  }
}

describe('a simulated Solana chain', () => {
  const benches: Bench[] = [];

  function open(): Bench {
    const bench = new Bench();
    benches.push(bench);
    return bench;
  }

  afterEach(() => {
    for (const { sim } of benches.splice(0)) sim.close();
  });

  it('runs transactions only on command, in the slot of the clock', () => {
    const bench = open();
    const signature = bench.send('one');
    bench.pass(3);
    expect([bench.status(signature), bench.sim.chain.waiting()]).toEqual([null, [signature]]);
    expect(bench.sim.chain.carryOut()).toBe(1);
    expect(bench.status(signature)).toMatchObject({
      slot: bench.sim.chain.slots.slot(),
      confirmationStatus: 'processed',
      err: null,
    });
    bench.pass(1);
    expect(bench.status(signature)?.confirmationStatus).toBe('confirmed');
    bench.pass(31);
    expect(bench.status(signature)?.confirmationStatus).toBe('finalized');
    expect([bench.sim.chain.carryOut(), bench.sim.chain.waiting()]).toEqual([0, []]);
  });

  it('lets transactions with an old blockhash expire', () => {
    const bench = open();
    const inTime = bench.send('in time');
    bench.pass(LIFE);
    expect([bench.sim.chain.carryOut(), bench.status(inTime)?.err]).toEqual([1, null]);
    const next = bench.send('next');
    bench.pass(LIFE + 1);
    expect([bench.sim.chain.carryOut(), bench.status(next), bench.sim.chain.waiting()]).toEqual([0, null, []]);
  });

  it('loses transactions on command', () => {
    const bench = open();
    const [kept, dropped] = [bench.send('kept'), bench.send('dropped')];
    expect([bench.sim.chain.lose(dropped), bench.sim.chain.lose(dropped)]).toEqual([true, false]);
    bench.sim.chain.carryOut();
    expect([kept, dropped].map((signature) => bench.status(signature) !== null)).toEqual([true, false]);
  });
});
