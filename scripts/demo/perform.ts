import { walletNamed } from '../lib/devnet-facts.ts';
import { ScriptError } from '../lib/script.ts';
import type { Terminal } from '../lib/terminal.ts';
import type { Expectations } from './expectations.ts';
import { Ledger, type LedgerRow } from './ledger.ts';
import { openShop, type Shop } from './shop.ts';
import type { Story, StoryResult } from './story.ts';
import type { Timeline } from './timeline.ts';
import { Payer } from './wallet.ts';
import { checkWebhooks, reasonOf } from './webhooks.ts';
import type { World } from './world.ts';

export interface Performance {
  readonly shop: Shop;
  readonly events: StoryResult['events'];
  readonly ledger: readonly LedgerRow[];
  readonly attempts: NonNullable<StoryResult['attempts']>;
}

interface Deps {
  readonly world: World;
  readonly timeline: Timeline;
  readonly terminal: Terminal;
  readonly expect: Expectations;
}

/** Acts out a story, up to the ledger. Throws an ExpectationFailed at a wrong result. */
export async function perform(story: Story, { world, timeline, terminal, expect }: Deps): Promise<Performance> {
  const { chain, provider, receiver } = world;
  timeline.title(story.title);
  receiver.onAccepted((envelope) => {
    const { event: webhook, sequence } = envelope;
    timeline.addWebhook({ webhook, sequence, ...reasonOf(envelope) });
  });
  const shop = await openShop({ world, timeline, expect });
  const payer = new Payer(walletNamed(chain, 'payer-1'), provider);
  const ledger = await Ledger.open(provider, shop.token, {
    payer: { name: 'payer', address: payer.address },
    merchant: { name: 'merchant', address: shop.payoutWallet },
    platform: { name: 'platform', address: walletNamed(chain, 'platform').address },
    contracts: [
      { name: 'operator', address: shop.operator },
      { name: 'router', address: chain.router },
    ],
  });
  const result = await story.run({ world, shop, payer, timeline, terminal, expect });
  const { subscriptionIds, events, attempts = [] } = result;
  const rows = subscriptionIds === null ? [] : await closed(ledger, subscriptionIds, shop, terminal, expect);
  checkWebhooks(receiver, events, expect);
  await checkHealth(world, expect);
  return { shop, events, ledger: rows, attempts };
}

async function closed(
  ledger: Ledger,
  subscriptionIds: readonly string[],
  { merchant }: Shop,
  terminal: Terminal,
  expect: Expectations,
): Promise<LedgerRow[]> {
  const payments = await Promise.all(subscriptionIds.map((id) => merchant.payments(id)));
  return ledger.close(payments.flat(), terminal, expect);
}

async function checkHealth({ url }: World, expect: Expectations): Promise<void> {
  const response = await fetch(`${url}/health`);
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null || !('status' in body)) throw new ScriptError('/health has no status');
  expect.equal('The service is healthy', { http: response.status, status: body.status }, { http: 200, status: 'ok' });
}
