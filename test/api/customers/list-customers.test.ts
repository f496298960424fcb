import { ALICE, BOB, SOL_ALICE } from '../../support/bodies.ts';
import { type HttpHarness, idOf, idsOf, type Reply, startHttp } from '../../support/http.ts';

let http: HttpHarness;
let testKey: string;
beforeAll(async () => {
  http = await startHttp();
});
beforeEach(async () => {
  ({ testKey } = await http.merchant());
});

async function create(body: object): Promise<string> {
  http.now = new Date(http.now.getTime() + 1000);
  return idOf(await http.call('POST', '/customers', { key: testKey, body }));
}

function list(query: string): Promise<Reply> {
  return http.call('GET', `/customers${query}`, { key: testKey });
}

describe('GET /customers 200', () => {
  it('lists newest first, in pages', async () => {
    const ids = [await create({}), await create({}), await create({})];
    expect(idsOf(await list('?limit=2'), 'customers')).toEqual([ids[2], ids[1]]);
    const last = await list('?limit=2&start=2');
    expect(idsOf(last, 'customers')).toEqual([ids[0]]);
    expect(last.body).toMatchObject({ limit: 2, start: 2 });
  });

  it('finds one by its wallet: EVM in any case, Solana exactly', async () => {
    const evm = await create({ wallets: [{ chainFamily: 'evm', address: ALICE }] });
    const both = await create({
      wallets: [
        { chainFamily: 'solana', address: SOL_ALICE },
        { chainFamily: 'evm', address: BOB },
      ],
    });
    for (const address of [ALICE, ALICE.toLowerCase(), `0x${ALICE.slice(2).toUpperCase()}`]) {
      expect(idsOf(await list(`?walletAddress=${address}`), 'customers')).toEqual([evm]);
    }
    expect(idsOf(await list(`?walletAddress=${SOL_ALICE}`), 'customers')).toEqual([both]);
    expect(idsOf(await list(`?walletAddress=${SOL_ALICE.toLowerCase()}`), 'customers')).toEqual([]);
    expect(idsOf(await list('?walletAddress=nobody'), 'customers')).toEqual([]);
    expect(idsOf(await list(`?walletAddress=${ALICE}&start=1`), 'customers')).toEqual([]);
  });
});
