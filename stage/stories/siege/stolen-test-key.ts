import { createClient } from 'tideline/client';

import { signBody } from '../../../src/webhooks/signature.ts';
import { type Merchant, refusalOf } from '../../merchant.ts';
import { startReceiver } from '../../receiver.ts';
import type { Stage } from '../../stage.ts';
import { until } from '../../until.ts';
import type { Loot } from '../thief/loot.ts';

/** A live URL and a live event; then the tries of a thief of the test key, at the secret and live events. */
export async function goLive(stage: Stage, merchant: Merchant, loot: Loot): Promise<() => Promise<void>> {
  const { api, client } = merchant;
  const live = createClient({ apiKey: client.liveKey, baseUrl: `${stage.url}/v1` });
  await live.webhooks.setEndpoint({ url: 'https://shop.example/webhooks' });
  const receiver = await startReceiver();
  stage.onStop(() => receiver.close());
  receiver.setSecret((await live.webhooks.rotateSecret({ scope: 'mode' })).secret, 'live');
  await live.customers.create({ name: 'Leo' });
  const [event] = await until(
    'the live event is in the log',
    async () => (await live.events.list()).events,
    ({ length }) => length > 0,
  );

  const victim = { name: 'Club', payer: { address: merchant.payoutWallet } };
  const attempt = async (what: string, act: () => Promise<string>, answer: string) => {
    const { answer: found } = await loot.take({ stolen: 'test key', victim, what }, act);
    stage.expect.equal(`The test key of a merchant ${what}`, found, answer);
  };
  return async () => {
    const rotate = async () => (await refusalOf(api.webhooks.rotateSecret())).split(',')[0] ?? '';
    await attempt('rotates the secret that signs live events', rotate, '409 A live webhook URL is set');
    await attempt('reads a live event', () => refusalOf(api.events.get(event?.id ?? '')), '404 Not found');
    const forge = async () => {
      const body = JSON.stringify({ event: 'payment.succeeded', isSandbox: false, sequence: 1 });
      const now = Math.floor(Date.now() / 1_000);
      const signature = signBody(JSON.stringify(await api.webhooks.getSecret()), now, body);
      const headers = { 'X-Service-Timestamp': String(now), 'X-Service-Signature-Mode': signature };
      await fetch(receiver.url, { method: 'POST', headers, body });
      return `${receiver.refused.at(-1)}`;
    };
    await attempt('forges payment.succeeded at the live URL', forge, 'its signature is not made with the secret');
  };
}
