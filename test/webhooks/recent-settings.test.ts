import type { WebhookSettings } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { RecentSettings } from '../../src/webhooks/recent-settings.ts';
import { makeMerchant } from './world.ts';

const FIRST_URL = 'http://127.0.0.1:1001/webhooks';
const OTHER_URL = 'http://127.0.0.1:1002/webhooks';

let store: Store;
let merchantId: string;
let now: number;
let recent: RecentSettings;

beforeEach(async () => {
  store = openMemoryStore();
  merchantId = (await makeMerchant(store, { testUrl: FIRST_URL }))._id;
  now = 1_000;
  recent = new RecentSettings(store.records, () => now);
});

function urlOf(settings: WebhookSettings | null | undefined): string | null | undefined {
  return settings?.testUrl;
}

describe('the cached webhook settings of a merchant', () => {
  it('equal the stored ones when they are read', async () => {
    expect(urlOf((await recent.read([merchantId])).get(merchantId))).toBe(FIRST_URL);
    await store.records.change('merchants', merchantId, {}, { set: { 'webhook.testUrl': OTHER_URL } });
    expect(urlOf((await recent.read([merchantId])).get(merchantId))).toBe(OTHER_URL);
    expect((await recent.read(['mrc_unknown'])).size).toBe(0);
  });

  it('are not used for earlier events', async () => {
    await recent.read([merchantId]);
    expect(urlOf(recent.since(merchantId, 999))).toBe(FIRST_URL);
    expect(urlOf(recent.since(merchantId, 1_000))).toBe(FIRST_URL);
    expect(recent.since(merchantId, 1_001)).toBeNull();
    expect(recent.since('mrc_unknown', 0)).toBeNull();
  });

  it('are used for a moment only', async () => {
    await recent.read([merchantId]);
    now += 100;
    expect(urlOf(recent.since(merchantId, 0))).toBe(FIRST_URL);
    now += 1;
    expect(recent.since(merchantId, 0)).toBeNull();
  });

  it('are not used after a change in this process, during or after a read', async () => {
    await recent.read([merchantId]);
    const reading = recent.read([merchantId]);
    recent.changed(merchantId);
    await reading;
    expect(recent.since(merchantId, 0)).toBeNull();
    now += 1;
    await recent.read([merchantId]);
    expect(urlOf(recent.since(merchantId, 0))).toBe(FIRST_URL);
  });
});
