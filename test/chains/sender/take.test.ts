import { randomBytes } from 'node:crypto';
import { Wallet } from 'ethers';
import { divide, readWaiting } from '../../../src/chains/sender/window.ts';
import { toBase58 } from '../../../src/chains/solana/keys.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import { charge } from '../../store/support/documents.ts';

const CHAIN = 31337;
const TOKEN = '0x1';

function waiting(from: string, isCycle: boolean, notBefore: Date): ChargeDoc {
  return charge({ key: `0x${randomBytes(32).toString('hex')}`, from, isCycle, notBefore });
}

const FAMILIES: readonly (readonly [family: string, wallet: () => string])[] = [
  ['EVM', () => new Wallet(`0x${randomBytes(32).toString('hex')}`).address],
  ['Solana', () => toBase58(randomBytes(32))],
];

describe.each(FAMILIES)('three queues of a chain of %s', (_family, wallet) => {
  async function shares(charges: readonly ChargeDoc[], now: Date): Promise<ChargeDoc[][]> {
    const { records } = openMemoryStore();
    await records.insert('charges', charges);
    const ctx = { records, chainId: CHAIN, clock: () => now };
    const read = await readWaiting(ctx, [TOKEN], 1_000);
    return [0, 1, 2].map((index) => divide({ index, count: 3 }, read, now).own);
  }

  it.each([true, false])('share all waiting charges, each in one of them; cycles: %s', async (isCycle) => {
    const now = new Date();
    const charges = Array.from({ length: 300 }, () => waiting(wallet(), isCycle, now));
    const taken = await shares(charges, now);
    expect(taken.flat().map(({ _id }) => _id)).toHaveLength(300);
    expect(new Set(taken.flat().map(({ _id }) => _id)).size).toBe(300);
    for (const own of taken) expect(own.length).toBeGreaterThan(50);
  });

  it('leave the one-off charges of one payer to one of them', async () => {
    const now = new Date();
    const from = wallet();
    const taken = await shares(
      Array.from({ length: 20 }, () => waiting(from, false, now)),
      now,
    );
    expect(taken.map((own) => own.length).sort()).toEqual([0, 0, 20]);
  });
});
