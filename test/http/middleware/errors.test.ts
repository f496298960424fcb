import { Fault } from '../../../src/errors/fault.ts';
import { StoreUnavailable, UnknownOutcome } from '../../../src/store/errors.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import { withRecords } from '../../engine/support/stores.ts';
import { type HttpHarness, startHttp } from '../../support/http.ts';

/** Makes every list of offers fail with this error. */
function startFailing(error: Error): Promise<HttpHarness> {
  const store = withRecords(openMemoryStore(), (records) => ({
    find: (from, query) => (from === 'offers' ? Promise.reject(error) : records.find(from, query)),
  }));
  return startHttp({ store });
}

describe('an unexpected failure', () => {
  it('answers 500 without details, and logs its cause under the request id', async () => {
    const cause = new Error('connection to mongodb://user:secret@host lost');
    const http = await startFailing(cause);
    const { testKey: key } = await http.merchant();
    const { status, body, headers } = await http.call('GET', '/offers', { key });
    expect([status, body]).toEqual([500, { error: 'Internal error' }]);
    const line = http.logged.find(({ level }) => level === 'error');
    expect(line?.detail).toMatchObject({ requestId: headers.get('x-request-id'), err: cause });
  });

  it('does not show the text that is for the log alone', async () => {
    const http = await startFailing(new Fault('internal', 'sub_1 is broken', { internal: 'rev 7 is missing' }));
    const { testKey: key } = await http.merchant();
    const { body } = await http.call('GET', '/offers', { key });
    expect(body).toEqual({ error: 'Internal error' });
    expect(http.logged.find(({ level }) => level === 'error')?.detail).toMatchObject({ why: 'rev 7 is missing' });
  });
});

describe('a database that does not answer', () => {
  it.each([
    ['was not done', new StoreUnavailable('find: MongoDB does not answer'), /^The database does not answer; send/],
    [
      'may have been done',
      new UnknownOutcome('insert: the answer was lost'),
      /may have been carried out; .* idempotencyKey/,
    ],
  ])('answers 503 with the time to come back: the request %s', async (_, error, message) => {
    const http = await startFailing(error);
    const { testKey: key } = await http.merchant();
    const { status, body, headers } = await http.call('GET', '/offers', { key });
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(body).toEqual({ error: expect.stringMatching(message) });
    expect(http.logged.filter(({ level }) => level === 'error')).toEqual([]);
    expect(http.logged.find(({ level }) => level === 'warn')?.detail).toMatchObject({ err: error });
  });
});

describe('the log', () => {
  it('has a line per request, with its route and id, and no key, query or header', async () => {
    const http = await startHttp();
    const { testKey: key, merchant } = await http.merchant();
    await http.call('GET', '/customers/cust_1?walletAddress=0xsecret', { key });
    await http.send('GET', '/checkout/nothing-to-see');
    await http.send('GET', '/readyz');
    await http.stop();
    const found = http.logged.filter(({ message }) => message === 'answered');
    expect(found.map(({ level }) => level)).toEqual(['info', 'info', 'debug']);
    const lines = found.map(({ detail }) => detail);
    expect(lines[0]).toEqual({
      requestId: expect.stringMatching(/^req_/),
      method: 'GET',
      route: '/customers/{customerId}',
      id: 'cust_1',
      merchantId: merchant._id,
      status: 404,
      ms: expect.any(Number),
    });
    expect(lines[1]).toEqual({
      requestId: expect.stringMatching(/^req_/),
      method: 'GET',
      route: '/checkout/:offerId',
      status: 404,
      ms: expect.any(Number),
    });
    const text = JSON.stringify(http.logged);
    for (const secret of [key, '0xsecret', 'nothing-to-see']) expect(text).not.toContain(secret);
  });
});
