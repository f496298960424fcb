import { createServer, type Server } from 'node:http';
import { inspect } from 'node:util';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { httpRates, STATIC_RATES, staticRates } from '../../src/billing/offers/rates.ts';
import { listen } from '../../stage/loopback.ts';

/** A source of rates with a chosen next answer; null never answers. */
class Source {
  answer: { status: number; body: string } | null = { status: 200, body: '{"rates":{"EUR":"1.0834"}}' };
  asked = 0;
  authorization: string | undefined;
  readonly #server: Server;
  url = '';

  constructor() {
    this.#server = createServer((request, response) => {
      this.asked += 1;
      this.authorization = request.headers.authorization;
      if (this.answer === null) return;
      response.writeHead(this.answer.status).end(this.answer.body);
    });
  }

  async start(): Promise<void> {
    this.url = `http://127.0.0.1:${await listen(this.#server)}/`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const EUR = { digits: 10_834n, scale: 4 };

describe('rates from a URL', () => {
  let source: Source;
  let now: Date;
  beforeEach(async () => {
    source = new Source();
    await source.start();
    now = new Date('2030-01-15T10:00:00Z');
  });
  afterEach(() => source.stop());

  function rates() {
    return httpRates({ url: source.url, clock: () => now, log: silentLog });
  }

  function pass(minutes: number): void {
    now = new Date(now.getTime() + minutes * 60_000);
  }

  it('are read exactly, from strings and from numbers', async () => {
    expect(await rates().usdPer('EUR')).toEqual(EUR);
    source.answer = { status: 200, body: '{"rates":{"EUR":1.0834,"GBP":2}}' };
    expect(await rates().usdPer('EUR')).toEqual(EUR);
  });

  it('are requested once for simultaneous callers, and once a minute', async () => {
    const all = rates();
    await Promise.all([all.usdPer('EUR'), all.usdPer('EUR'), all.usdPer('EUR')]);
    pass(1);
    await all.usdPer('EUR');
    expect(source.asked).toBe(1);
    pass(0.01);
    await all.usdPer('EUR');
    expect(source.asked).toBe(2);
  });

  it.each([
    ['a failure', { status: 500, body: '' }],
    ['no JSON', { status: 200, body: '<html>' }],
    ['JSON of another form', { status: 200, body: '{"EUR":"1.08"}' }],
    ['a rate of another kind', { status: 200, body: '{"rates":{"EUR":null}}' }],
  ])('last for ten minutes through %s, and no longer', async (_what, answer) => {
    const all = rates();
    await all.usdPer('EUR');
    source.answer = answer;
    pass(10);
    expect(await all.usdPer('EUR')).toEqual(EUR);
    pass(0.001);
    await expect(all.usdPer('EUR')).rejects.toMatchObject({ code: 'rate_unavailable', status: 503 });
    source.answer = { status: 200, body: '{"rates":{"EUR":"1.1"}}' };
    expect(await all.usdPer('EUR')).toEqual({ digits: 11n, scale: 1 });
  });

  it('are as old as their source says', async () => {
    source.answer = { status: 200, body: '{"rates":{"EUR":"1.08"},"asOf":"2030-01-15T09:49:59Z"}' };
    await expect(rates().usdPer('EUR')).rejects.toMatchObject({ status: 503 });
    source.answer = { status: 200, body: '{"rates":{"EUR":"1.08"},"asOf":"2030-01-15T09:50:00Z"}' };
    expect(await rates().usdPer('EUR')).toEqual({ digits: 108n, scale: 2 });
  });

  it('stay the youngest ones if a slow source answers in between', async () => {
    const all = rates();
    await all.usdPer('EUR');
    source.answer = { status: 200, body: '{"rates":{"EUR":"1.08"},"asOf":"2030-01-15T09:45:00Z"}' };
    pass(9);
    expect(await all.usdPer('EUR')).toEqual(EUR);
    pass(2);
    await expect(all.usdPer('EUR')).rejects.toMatchObject({ status: 503 });
  });

  it("are not younger than their answer, even if the source's clock is ahead", async () => {
    source.answer = { status: 200, body: '{"rates":{"EUR":"1.0834"},"asOf":"2030-01-15T11:00:00Z"}' };
    const all = rates();
    expect(await all.usdPer('EUR')).toEqual(EUR);
    source.answer = { status: 500, body: '' };
    pass(10);
    expect(await all.usdPer('EUR')).toEqual(EUR);
    pass(0.001);
    await expect(all.usdPer('EUR')).rejects.toMatchObject({ status: 503 });
  });

  it('are requested with the credentials of the URL, which no log contains', async () => {
    const warned: string[] = [];
    const log = { ...silentLog, warn: (...said: readonly unknown[]) => void warned.push(inspect(said)) };
    const url = source.url.replace('//', '//shop:s%2Fcret@');
    const all = httpRates({ url, clock: () => now, log });
    expect(await all.usdPer('EUR')).toEqual(EUR);
    expect(source.authorization).toBe(`Basic ${Buffer.from('shop:s/cret').toString('base64')}`);
    source.answer = { status: 500, body: '' };
    pass(2);
    await all.usdPer('EUR');
    expect(warned).toEqual([expect.not.stringMatching(/s%2Fcret|s\/cret/)]);
  });

  it.each(['"0"', '"-1"', '1e-7', '"abc"'])('are refused if one is %s', async (rate) => {
    source.answer = { status: 200, body: `{"rates":{"EUR":${rate}}}` };
    await expect(rates().usdPer('EUR')).rejects.toMatchObject({ status: 503 });
  });

  it('do not exist for a missing currency, nor for inherited properties', async () => {
    for (const currency of ['GBP', 'toString', '__proto__']) {
      await expect(rates().usdPer(currency)).rejects.toMatchObject({ status: 503 });
    }
  });

  it('fail after three seconds without an answer', async () => {
    source.answer = null;
    const started = performance.now();
    await expect(rates().usdPer('EUR')).rejects.toMatchObject({ status: 503 });
    expect(performance.now() - started).toBeGreaterThan(2_900);
    expect(performance.now() - started).toBeLessThan(6_000);
  });

  it('fail if nobody listens', async () => {
    source.stop();
    await expect(rates().usdPer('EUR')).rejects.toMatchObject({ status: 503 });
  });
});

describe('rates from a table', () => {
  it('have no age, and are exactly those of the table', async () => {
    expect(await staticRates(STATIC_RATES).usdPer('GBP')).toEqual({ digits: 127n, scale: 2 });
    await expect(staticRates(STATIC_RATES).usdPer('XAU')).rejects.toMatchObject({
      status: 503,
      message: 'The exchange rate of XAU is unavailable; retry shortly',
    });
  });
});
