import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { signTestWebhook } from '@tideline/client/node';
import { z } from 'zod';
import { freePort } from '../../scripts/lib/free-port.ts';
import { temporaryFolder } from '../runner/after.ts';
import { createTestMerchant } from '../support/merchant.ts';
import { pathOf, read } from '../support/repository.ts';
import { startServiceProcess } from '../support/service.ts';
import { type RunningScript, startScript } from './support/run-script.ts';

const run = promisify(execFile);

const dataDir = await temporaryFolder();

const service = await startServiceProcess({ dataDir });
const key = (await createTestMerchant(() => service, dataDir)).testKey;

afterAll(() => service?.stop());

const SECRET = 'whsec_b2YgYSB0ZXN0';

/** Starts `examples/express.ts`, and waits until it listens. */
async function openShop(port: number): Promise<RunningScript> {
  const environment = {
    TIDELINE_API_KEY: key,
    TIDELINE_URL: `${service.url}/v1`,
    TIDELINE_WEBHOOK_SECRET: SECRET,
    PORT: String(port),
  };
  const shop = startScript('', [], environment, () => ['--import', 'tsx', 'examples/express.ts']);
  await shop.says(/the shop is open/);
  return shop;
}

async function testWallet(name: string): Promise<string> {
  const devnet = await (await fetch(`${service.url}/devnet.json`)).text();
  return new RegExp(`"name":"${name}","address":"(0x\\w+)"`).exec(devnet)?.[1] ?? '';
}

/** The shell for the README's first requests; without curl they cannot run. */
const hasShell = await run('bash', ['-c', 'curl --version']).then(
  () => true,
  () => false,
);

describe('the first requests of the README', () => {
  const itInShell = hasShell ? it : it.skip;

  const requests = (testKey: string) =>
    run('bash', [pathOf('examples/first-requests.sh'), testKey, service.url], { timeout: 60_000 });

  it('are a script that the README names', () => {
    expect(read('README.md')).toContain('\nbash examples/first-requests.sh tl_test_…\n');
  });

  itInShell('bill two months, each time they are made', async () => {
    const { testKey, call } = await createTestMerchant(() => service, dataDir);
    const address = await testWallet('approved');
    // As a test charge of the dashboard does.
    await call('POST', '/customers', { wallets: [{ chainFamily: 'evm', address }] });
    for (const _ of ['once', 'again']) {
      const { stdout } = await requests(testKey);
      const page = stdout.slice(stdout.indexOf('{"payments":'));
      const { payments } = z.object({ payments: z.array(z.object({ status: z.string() })) }).parse(JSON.parse(page));
      expect(payments.map(({ status }) => status)).toEqual(['settled', 'settled']);
    }
  });

  itInShell('end with the answer that is not the expected one', async () => {
    await expect(requests('tl_test_unknown')).rejects.toMatchObject({
      stderr: expect.stringContaining('unexpected answer: {"error":'),
    });
  });
});

describe('the guide to prices', () => {
  it('has samples that print what it says', async () => {
    const { testKey, call } = await createTestMerchant(() => service, dataDir);
    await call('POST', '/wallets', { tokenKey: 'usdc-base', receiverWallet: await testWallet('merchant') });
    const samples = [...read('docs/guides/pricing.md').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
    const program = samples.join('\n');
    const environment = { TIDELINE_API_KEY: testKey, TIDELINE_URL: service.url, PAYER: await testWallet('approved') };
    const { stdout } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      cwd: pathOf(''),
      env: { ...process.env, ...environment },
      timeout: 60_000,
    });
    const printed = [...program.matchAll(/^console\.log\(.*\); \/\/ (.+)$/gm)].map(([, line]) => line);
    expect(printed.length).toBeGreaterThan(5);
    expect(stdout.trim().split('\n')).toEqual(printed);
  });
});

describe('the shop that the README shows', () => {
  let shop: RunningScript;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    shop = await openShop(port);
  });

  afterAll(async () => {
    shop?.child.kill();
    await shop?.ended;
  });

  it('is the tested example, in about 50 lines', () => {
    const code = read('examples/express.ts');
    expect(read('README.md')).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
    expect(code.split('\n').length).toBeLessThan(60);
  });

  it('makes one subscription for an order, with an authorization link', async () => {
    const order = async (path: string) => {
      const response = await fetch(`${url}${path}`, { method: 'POST' });
      const answered = z.object({ subscription: z.string(), authorize: z.string().nullable() });
      return { status: response.status, ...answered.parse(await response.json()) };
    };
    const first = await order('/users/ada/orders/1');
    expect(first).toMatchObject({ status: 201, subscription: expect.stringMatching(/^sub_/) });
    expect(first.authorize).toContain('/checkout/authorize/');
    expect((await order('/users/ada/orders/1')).subscription).toBe(first.subscription);
    expect((await order('/users/ada/orders/2')).subscription).not.toBe(first.subscription);
  });

  it('gives access from a trial or payment on, and takes it back while a charge is overdue', async () => {
    const gives = ['subscription.trialing', 'subscription.active', 'subscription.recovered'] as const;
    const takes = ['subscription.past_due', 'subscription.canceled'] as const;
    const of = { offerId: 'offer_1', priceId: 'price_1' };
    const unpaid = { source: 'subscription', invoiceId: 'sub-pay-1', reason: 'insufficient_balance' } as const;
    const told = [
      ...gives.map((event) => [{ event, data: { subscriptionId: event, ...of } }, 'give access for', event] as const),
      ...takes.map((event) => [{ event, data: { subscriptionId: event, ...of } }, 'take it back for', event] as const),
      [{ event: 'payment.failed', data: { subscriptionId: 'sub_1', ...unpaid } }, 'take it back for', 'sub_1'] as const,
    ];
    for (const [event, what, id] of told) {
      const sent = await fetch(`${url}/webhooks`, { method: 'POST', ...signTestWebhook(event, SECRET) });
      expect(sent.status).toBe(204);
      await shop.says(new RegExp(`${what} ${id}`));
    }
  });

  it('accepts signed webhooks only', async () => {
    const { body, headers } = signTestWebhook(
      { event: 'payment.failed', data: { source: 'one_time', paymentId: 'pay_1', reason: 'insufficient_balance' } },
      SECRET,
    );
    const deliver = async (sent: string) => {
      const response = await fetch(`${url}/webhooks`, { method: 'POST', headers, body: sent });
      return { status: response.status, said: await response.text() };
    };
    expect(await deliver(body)).toEqual({ status: 204, said: '' });
    await shop.says(/tell the user: insufficient_balance/);
    expect(await deliver(body.replace('pay_1', 'pay_2'))).toEqual({ status: 400, said: 'signature_mismatch' });
    const live = { event: 'customer.deleted', data: { customerId: 'cust_1' }, isSandbox: false } as const;
    const other = signTestWebhook(live, SECRET);
    const refused = await fetch(`${url}/webhooks`, { method: 'POST', ...other });
    expect({ status: refused.status, said: await refused.text() }).toEqual({ status: 400, said: 'mode_mismatch' });
    const unsigned = await fetch(`${url}/webhooks`, { method: 'POST' });
    expect({ status: unsigned.status, said: await unsigned.text() }).toEqual({ status: 400, said: 'body_not_raw' });
  });
});
