import { Registry } from 'prom-client';
import { gaugesIn } from '../../src/metrics/gauges.ts';
import { chargesOverTime } from '../../src/staff/inspect/front-endpoints.ts';
import { search } from '../../src/staff/inspect/search.ts';
import { troubles } from '../../src/staff/inspect/trouble.ts';
import { ALICE, SOL_ALICE } from '../support/bodies.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { ExplainedStore } from '../support/explained-store.ts';
import { startHttp } from '../support/http.ts';

/** The queries of staff and of a scrape, among the resources of all merchants. */
const devnet = await startTestDevnet();
const raw = await devnet.openClient();
const explained = new ExplainedStore(await devnet.openStore('staff'));
const { store } = explained;
const http = await startHttp({ store });

describe('on MongoDB', () => {
  it.each([null, { merchantId: 'mrc_01hm0000000000000000000001', mode: 'test' }] as const)(
    'every search uses an index, of %p',
    async (tenant) => {
      const bare = '01hm0000000000000000000001';
      const sought = [
        bare,
        ALICE,
        SOL_ALICE,
        `0x${'a'.repeat(64)}`,
        'a'.repeat(88),
        'mia@example.com',
        'user-17',
        'the beginning of a name',
        `dep_${bare}`,
      ];
      for (const q of sought) expect(await search({ store, catalog: http.catalog }, q, tenant)).toEqual([]);
      expect(await explained.scans(raw.db('staff'))).toEqual([]);
    },
  );

  it('every list of troubles uses an index, except those with one document per chain', async () => {
    await troubles({ ...http.deps, store });
    await chargesOverTime(store.records, 'day', http.now);
    expect((await explained.scans(raw.db('staff'))).filter((scan) => !scan.startsWith('audits'))).toEqual([]);
  });

  it('every gauge uses an index', async () => {
    const audit = async () => ({ at: null, differences: 0 });
    const { chains, clock } = http.deps;
    await gaugesIn(new Registry(), { store, chains, audit, clock, backupMarker: null })();
    expect(await explained.scans(raw.db('staff'))).toEqual([]);
  });
});
