import { z } from 'zod';
import type { ChargeDoc } from '../../store/collections.ts';
import { chargedTopic, depositRefundedTopic, encodeCharged, refusedTopic } from './contracts/charge-logs.ts';
import { decodeReason, type Reason } from './contracts/reasons.ts';
import { routerInterface } from './contracts/router.ts';
import { toRouterCharge } from './router-charge.ts';
import type { Routers } from './routers.ts';
import type { WireReceipt } from './wire.ts';

/** The outcome of one charge in a transaction. `charged` also means that the refund of a deposit was made. */
export type Outcome = { readonly kind: 'charged' } | { readonly kind: 'refused'; readonly reason: Reason };

const refused = z.object({ reason: z.string() });

type Log = WireReceipt['logs'][number];

/**
 * The outcomes of these charges in a transaction, by id. Only the logs of a charge's own router count, because anybody
 * can emit imitations. The amounts of an open charge's `Charged` are not decoded: they equal the signed amounts, or the
 * router would have reverted the charge. A charge under a mandate is charged only if the log agrees in all fields: any
 * sender can make an open charge with the same key, from another payer, to others.
 */
export function readOutcomes(
  receipt: WireReceipt,
  routers: Pick<Routers, 'of'>,
  charges: readonly ChargeDoc[],
): ReadonlyMap<string, Outcome> {
  const logs = new Map<string, Log[]>();
  for (const log of receipt.logs) {
    const key = log.topics[1];
    if (key === undefined) continue;
    const name = `${log.address.toLowerCase()}/${key}`;
    const known = logs.get(name);
    if (known) known.push(log);
    else logs.set(name, [log]);
  }
  return new Map(
    charges.flatMap((charge): [string, Outcome][] => {
      const outcome = outcomeOf(charge, logs.get(`${routers.of(charge).toLowerCase()}/${charge.key}`) ?? []);
      return outcome === null ? [] : [[charge._id, outcome]];
    }),
  );
}

function outcomeOf(charge: ChargeDoc, logs: readonly Log[]): Outcome | null {
  if (logs.some((log) => isMadeBy(log, charge))) return { kind: 'charged' };
  const log = logs.find(({ topics: [topic] }) => topic === refusedTopic);
  if (log === undefined) return null;
  const { reason } = refused.parse(routerInterface.decodeEventLog('Refused', log.data, log.topics).toObject());
  return { kind: 'refused', reason: decodeReason(reason) };
}

function isMadeBy({ topics, data }: Log, charge: ChargeDoc): boolean {
  const [topic] = topics;
  if (topic === depositRefundedTopic) return true;
  if (topic !== chargedTopic) return false;
  if (charge.mandate === undefined) return true;
  const expected = encodeCharged(toRouterCharge(charge));
  const isSame = topics.every((each, index) => each.toLowerCase() === expected.topics[index]);
  return isSame && data.toLowerCase() === expected.data;
}
