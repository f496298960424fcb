import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { packageRoot } from '../../src/package/root.ts';
import { listen } from '../../stage/loopback.ts';
import { signUp } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { until } from '../../stage/until.ts';
import { temporaryFolder } from '../runner/after.ts';
import { startServiceProcess } from '../support/service.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

const span = z.looseObject({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
});
const exported = z.looseObject({
  resourceSpans: z.array(z.looseObject({ scopeSpans: z.array(z.looseObject({ spans: z.array(span) })) })),
});

/** The documented setup of traces, with the published SDK, as a collector sees it (docs/operating.md, "Traces"). */
describe('a service with the OpenTelemetry SDK', () => {
  const seen: z.output<typeof span>[] = [];
  let dataDir: string;
  let collector: Server;
  let receiver: Receiver;
  let service: ServiceProcess;

  beforeAll(async () => {
    dataDir = await temporaryFolder();
    receiver = await openReceiver();
    collector = createServer((request, response) => {
      void json(request).then((body) => {
        const { resourceSpans } = exported.parse(body);
        for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) seen.push(...spans);
        response.setHeader('Content-Type', 'application/json').end('{}');
      });
    });
    const port = await listen(collector);
    service = await startServiceProcess({
      dataDir,
      env: {
        LOCAL_DEVNETS: 'evm',
        LOG_LEVEL: 'debug',
        NODE_OPTIONS: `--import=${pathToFileURL(join(packageRoot(), 'deploy/otel.mjs')).href}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    });
  }, 120_000);

  afterAll(async () => {
    await service?.stop();
    await receiver?.close();
    collector?.close();
  }, 60_000);

  it('continues the trace of a request, passes one on to webhooks, and names them in its log', async () => {
    const merchant = await signUp(() => service.url, dataDir);
    await merchant.call('PATCH', '/webhooks/endpoint', { url: receiver.url });
    const headers = {
      'X-API-Key': merchant.testKey,
      'Content-Type': 'application/json',
      traceparent: `00-${TRACE}-${PARENT}-01`,
    };
    const created = await fetch(`${service.url}/v1/customers`, { method: 'POST', headers, body: '{"name":"Mia"}' });
    expect(created.status).toBe(201);
    await receiver.got(1);
    const [, attemptTrace = '', attemptSpan = ''] =
      /^00-(\w{32})-(\w{16})-01$/.exec(String(receiver.received[0]?.headers['traceparent'])) ?? [];
    const ofAttempt = () => seen.find(({ spanId }) => spanId === attemptSpan);
    const ofRequest = () => seen.find(({ traceId, parentSpanId }) => traceId === TRACE && parentSpanId === PARENT);
    await until(
      'both spans are at the collector',
      async () => [ofAttempt(), ofRequest()],
      ([one, two]) => !!one && !!two,
      { explain: () => JSON.stringify(seen.map(({ name }) => name)) },
    );
    expect(ofRequest()?.name).toBe('POST /v1/customers');
    expect(ofAttempt()).toMatchObject({ traceId: attemptTrace, name: 'webhook attempt' });
    const linesOfLog = () =>
      service
        .log()
        .split('\n')
        .filter((line) => line.startsWith('{"level":"'));
    const isOfAttempt = (line: string) => line.includes('a delivery attempt has ended');
    // The attempt is in the log once it is stored, which may be after the receiver and the collector have seen it.
    const lines = await until('the attempt is in the log', linesOfLog, (all) => all.some(isOfAttempt));
    expect(lines.find(isOfAttempt)).toContain('{"level":"debug"');
    expect(lines.some((line) => line.includes(`"trace_id":"`))).toBe(true);
  });
});
