import { MandateReader } from '../../src/chains/mandate-reader.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { mandateDoc } from '../support/mandate-doc.ts';

describe('the reader of mandates', () => {
  it('reads a mandate once, and asks again for one that was not stored', async () => {
    const { records, roundTrips } = openMemoryStore();
    const [early, late] = [mandateDoc({ _id: '0xearly' }), mandateDoc({ _id: '0xlate' })];
    await records.insert('mandates', [early]);
    const reader = new MandateReader(records);
    expect([...(await reader.get(['0xearly', '0xlate', '0xearly'])).keys()]).toEqual(['0xearly']);
    await records.insert('mandates', [late]);
    expect(await reader.get(['0xearly', '0xlate'])).toEqual(
      new Map([
        ['0xearly', early],
        ['0xlate', late],
      ]),
    );
    const before = roundTrips();
    expect((await reader.ofCharges([{ mandate: { id: '0xlate', cycle: 1 } }, {}])).size).toBe(1);
    expect(roundTrips()).toBe(before);
  });
});
