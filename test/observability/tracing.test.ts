import { type Attributes, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { conflict } from '../../src/errors/fault.ts';
import { tick } from '../../src/jobs/clock.ts';
import { traced } from '../../src/observability/tracing.ts';
import { EvmBench } from '../chains/evm/bench.ts';
import { startWorld } from '../chains/evm/world.ts';
import { play, quiet, World } from '../engine/support/world.ts';
import { type HttpHarness, startHttp } from '../support/http.ts';
import { type Seen, spansOf } from '../support/spans.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import * as webhooks from '../webhooks/world.ts';

function named(spans: readonly Seen[], name: string): Seen {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found;
}

describe('without an SDK', () => {
  it('traced work is called, and nothing else is done for it', async () => {
    const asked: string[] = [];
    const attributes = (): Attributes => {
      asked.push('attributes');
      return {};
    };
    const promise = Promise.resolve('done');
    expect(traced({ name: 'a', attributes }, () => promise)).toBe(promise);
    expect(asked).toEqual([]);
  });
});

describe('with an SDK', () => {
  it('a span has the result, and only the name of an error', async () => {
    const spans = await spansOf(async () => {
      const attributes = () => ({ a: 1 });
      await traced({ name: 'good', attributes, outcome: (result: number) => ({ b: result }) }, async () => 2);
      const failing = traced({ name: 'bad', attributes }, async () => {
        throw new TypeError('a secret');
      });
      await expect(failing).rejects.toThrow('a secret');
      const thrown = () => ({ attributes: { c: 3 }, isFailure: false });
      const refused = traced({ name: 'refused', attributes, thrown }, async () => {
        throw conflict('no');
      });
      await expect(refused).rejects.toThrow('no');
    });
    expect(named(spans, 'good')).toMatchObject({ attributes: { a: 1, b: 2 }, status: { code: SpanStatusCode.UNSET } });
    expect(named(spans, 'bad')).toMatchObject({
      attributes: { a: 1, 'error.type': 'TypeError' },
      status: { code: SpanStatusCode.ERROR, message: 'TypeError' },
    });
    expect(named(spans, 'refused')).toMatchObject({ attributes: { c: 3 }, status: { code: SpanStatusCode.UNSET } });
    expect(JSON.stringify(spans)).not.toContain('a secret');
  });

  it('a dispatch and its effects are spans, with ids', async () => {
    const world = new World();
    const id = await world.makeToy();
    const spans = await spansOf(async () => {
      await world.engine.dispatch(play(id, { emit: 1 }));
      await world.engine.dispatchMany([play(id, { add: 1 }), play(id, { add: 1 })]);
      await quiet(world);
    });
    expect(named(spans, 'dispatch').attributes).toEqual({
      'tideline.kind': 'subscription',
      'tideline.id': id,
      'tideline.event': 'variables.replaced',
      'tideline.outcome': 'taken',
    });
    expect(named(spans, 'dispatch many').attributes).toEqual({ 'tideline.kind': 'subscription', 'tideline.count': 2 });
    expect(named(spans, 'relay webhook.emit').attributes).toMatchObject({
      'tideline.count': 1,
      'tideline.ids': [`${id}:2:0`],
    });
  });
});

describe('a request', () => {
  let http: HttpHarness;
  beforeAll(async () => {
    http = await startHttp();
  });

  it("is a span by its route, with the resource's id, the answer, and the work for it", async () => {
    const { testKey } = await http.merchant();
    const id = 'cust_01hm0000000000000000000009';
    const spans = await spansOf(async () => {
      await http.call('GET', '/customers', { key: testKey });
      await http.call('GET', `/customers/${id}`, { key: testKey });
      await http.send('GET', '/v1/customers', { headers: { 'X-API-Key': 'tl_test_wrong' } });
      await http.send('GET', '/checkout/api/authorizations/a-token-that-is-secret');
    });
    const requests = spans.filter(({ kind }) => kind === SpanKind.SERVER);
    expect(requests.map(({ name, attributes }) => [name, attributes['http.response.status_code']])).toEqual([
      ['GET /v1/customers', 200],
      ['GET /v1/customers/{customerId}', 404],
      ['GET /v1/customers', 401],
      ['GET /checkout/api/authorizations/{token}', 404],
    ]);
    expect(requests[1]?.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/v1/customers/{customerId}',
      'tideline.id': id,
      'tideline.request_id': expect.stringMatching(/.+/),
    });
    expect(requests.every(({ status }) => status.code === SpanStatusCode.UNSET)).toBe(true);
    for (const secret of [testKey, 'tl_test_wrong', 'a-token-that-is-secret']) {
      expect(JSON.stringify(spans)).not.toContain(secret);
    }
  });
});

describe('an attempt to deliver a webhook', () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await openReceiver();
  });
  afterAll(() => receiver.close());

  it('is a span with delivery, event and answer, without URL, body and secret', async () => {
    const world = webhooks.openWorld();
    const secret = 'whsec_bm9ib2R5IGtub3dz';
    const merchant = await webhooks.makeMerchant(world.store, { testUrl: `${receiver.url}?token=hidden`, secret });
    const spans = await spansOf(async () => {
      await webhooks.emit(world, merchant._id);
      await webhooks.quiet(world);
    });
    await world.webhooks.sender.stop(1_000);
    expect(named(spans, 'webhook attempt')).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        'tideline.id': expect.stringMatching(/^dlv_/),
        'tideline.event_id': expect.stringMatching(/^evt_/),
        'tideline.event': 'customer.created',
        'tideline.attempt': 1,
        'tideline.outcome': 'delivered',
        'http.response.status_code': expect.any(Number),
      },
    });
    for (const hidden of [secret, 'token=hidden', receiver.url]) expect(JSON.stringify(spans)).not.toContain(hidden);
  });
});

describe('a send to a chain', () => {
  const stops: (() => unknown)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  it('is a span with chain, sender and payments', async () => {
    const world = await startWorld();
    stops.push(() => world.stop());
    world.pump();
    const bench = new EvmBench(world);
    stops.push(() => bench.stop());
    const charge = await bench.newCharge();
    const spans = await spansOf(async () => {
      await bench.start();
      await bench.settle(charge);
    });
    expect(named(spans, 'chain send').attributes).toMatchObject({
      'tideline.chain_id': charge.chainId,
      'tideline.sender': expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      'tideline.count': 1,
      'tideline.ids': [charge.paymentId],
    });
  });
});

describe('a tick of a job', () => {
  it('is a span with its work below it', async () => {
    const world = new World();
    const id = await world.makeToy();
    const warned: string[] = [];
    const log = { warn: (_fields: object, message: string) => void warned.push(message) };
    const run = async () => void (await world.engine.dispatch(play(id, { add: 1 })));
    const broken = async () => {
      throw new RangeError('no');
    };
    const spans = await spansOf(async () => {
      await tick({ name: 'wake', run }, log);
      await tick({ name: 'check', run: broken }, log);
    });
    const job = named(spans, 'job wake');
    expect(job.attributes).toEqual({ 'tideline.job': 'wake' });
    expect(named(spans, 'dispatch').parent).toBe(job.id);
    expect(named(spans, 'job check').status).toEqual({ code: SpanStatusCode.ERROR, message: 'RangeError' });
    expect(warned).toEqual(['a recurring job failed; the next tick tries again']);
  });
});
