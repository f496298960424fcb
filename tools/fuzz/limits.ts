import type { Stage } from './client.ts';
import { Connection } from './connection.ts';
import { type Fault, fault } from './fault.ts';
import { ordinaryRequest } from './friendly.ts';
import { judge } from './judge.ts';
import type { Wire } from './wire.ts';

/** The lowest limit is 10 calls a minute. This many calls exceed it even if a new minute begins between them. */
const CALLS_MAX = 25;
const BUCKET = { operationId: 'rotateWebhookSecret', method: 'POST', path: '/webhooks/secret/rotate' } as const;

/** Exceeds a limit with a merchant of default limits: the document must allow that answer too. */
export async function exhaust({ world, document, owners, others, statistics, deadlines }: Stage): Promise<Fault[]> {
  const merchant = await world.newMerchant('limited');
  const asker = { tenant: { merchantId: merchant.id, mode: 'test' as const }, owners, secrets: others.secrets };
  const connection = new Connection(world.port);
  try {
    for (let call = 0; call < CALLS_MAX; call += 1) {
      const wire: Wire = {
        operationId: BUCKET.operationId,
        mode: 'test',
        method: BUCKET.method,
        target: `/v1${BUCKET.path}`,
        headers: [],
        body: null,
        ...ordinaryRequest(BUCKET.method, BUCKET.path, merchant.testKey),
        hasGoodKey: true,
        named: new Set(),
      };
      const { exchange, faults } = judge(document, wire, await connection.send(wire, deadlines.other), asker);
      statistics.count(BUCKET.operationId, exchange);
      if (faults.length > 0 || exchange?.status === 429) return [...faults];
    }
    return [fault('is as documented', `${CALLS_MAX} calls of ${BUCKET.path} succeeded; expected at most 10 a minute`)];
  } finally {
    connection.close();
  }
}
