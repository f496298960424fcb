import { z } from 'zod';
import { type ServiceProcess, staffTokenOf } from './service.ts';

/** A merchant's engineer with a key, over HTTP. */
export interface TestMerchant {
  readonly id: string;
  readonly testKey: string;
  readonly liveKey: string;
  /** Throws for anything but 2xx, with the answer. */
  call(method: string, path: string, body?: object): Promise<{ readonly [key: string]: unknown }>;
}

const made = z.object({ id: z.string(), testKey: z.string(), liveKey: z.string() });
const record = z.record(z.string(), z.unknown());

/** Makes a merchant as staff does. `serviceOf` names the process to call: it may be another one after a restart. */
export async function createTestMerchant(serviceOf: () => ServiceProcess, dataDir: string): Promise<TestMerchant> {
  const response = await fetch(`${serviceOf().url}/staff/api/merchants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await staffTokenOf(dataDir)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Test' }),
  });
  const merchant = made.parse(await response.json());
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${serviceOf().url}/v1${path}`, {
      method,
      headers: { 'X-API-Key': merchant.testKey, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return record.parse(JSON.parse(text));
  };
  return { ...merchant, call };
}

const wallet = z.object({ name: z.string(), address: z.string(), privateKey: z.string() });
const devnet = z.object({
  evm: z.object({
    rpcUrl: z.string(),
    router: z.string(),
    tokens: z.array(z.object({ tokenKey: z.string(), address: z.string(), decimals: z.number() })),
    wallets: z.array(wallet),
  }),
});
export type DevnetFacts = z.infer<typeof devnet>['evm'];

/** What GET /devnet.json tells. */
export async function devnetFacts(service: ServiceProcess): Promise<DevnetFacts> {
  return devnet.parse(await (await fetch(`${service.url}/devnet.json`)).json()).evm;
}

export function walletNamed({ wallets }: DevnetFacts, name: string): z.infer<typeof wallet> {
  const found = wallets.find((each) => each.name === name);
  if (!found) throw new Error(`no test wallet ${name}`);
  return found;
}

/** A payout wallet, a monthly offer of 10.00 and a customer who has approved: what is left is the subscription. */
export async function prepareOrder(
  merchant: TestMerchant,
  facts: DevnetFacts,
): Promise<{ readonly priceId: string; readonly customerId: string }> {
  const receiverWallet = walletNamed(facts, 'merchant').address;
  await merchant.call('POST', '/wallets', { tokenKey: 'usdc-base', receiverWallet });
  const offer = await merchant.call('POST', '/offers', {
    name: 'Monthly',
    pricing: [{ amount: '10.00', acceptedTokens: ['usdc-base'], billing: { type: 'recurring', interval: 'month' } }],
  });
  const wallets = [{ chainFamily: 'evm', address: walletNamed(facts, 'approved').address }];
  const { id } = await merchant.call('POST', '/customers', { wallets });
  return { priceId: String(Object(Object(offer['pricing'])[0]).id), customerId: String(id) };
}
