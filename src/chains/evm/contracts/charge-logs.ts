import { z } from 'zod';
import { getAddress } from '../address.ts';
import { address, bytes32, count, word } from '../words.ts';
import { decodeReason, type Reason } from './reasons.ts';
import { type RouterCharge, routerInterface } from './router.ts';

/** The fields of a log that are read here. `ethers.Log` has them, and so has a log of JSON-RPC. */
export type RawLog = { readonly address: string; readonly topics: readonly string[]; readonly data: string };

/** The router's log of one charge. `index`: among the given logs. Base units; checksummed addresses. */
export type ChargeLog =
  | (RouterCharge & { readonly kind: 'charged'; readonly index: number })
  | { readonly kind: 'refused'; readonly index: number; readonly key: string; readonly reason: Reason };

/** Topic 0 of `Charged`; topic 1 is the key. A search by both finds the charge of a key that the router has seen. */
export const chargedTopic = topicOf('Charged');

/** Topic 0 of `Refused`; topic 1 is the key. */
export const refusedTopic = topicOf('Refused');

/** Topic 0 of `DepositRefunded`; topics 1 to 3 are the refund's key, the deposit address's key, and the receiver. */
export const depositRefundedTopic = topicOf('DepositRefunded');

/** Topic 0 of `Refunded`; topics 1 to 3 are the key of the charge, the sender and the receiver. */
export const refundedTopic = topicOf('Refunded');

/** The topics and the data of the log that the router writes for this charge, in lower case. */
export function encodeCharged({ key, merchant, token, from, gross, to, amounts }: RouterCharge) {
  const recipients = count(to.length) + to.map(address).join('');
  const shares = count(amounts.length) + amounts.map(word).join('');
  const offsets = count(4 * 32) + count(4 * 32 + recipients.length / 2);
  return {
    topics: [chargedTopic, `0x${bytes32(key)}`, `0x${bytes32(merchant)}`, `0x${address(from)}`],
    data: `0x${address(token)}${word(gross)}${offsets}${recipients}${shares}`,
  };
}

/**
 * The charges that `router` made or refused, in the order of the logs. Logs of other contracts and other events are
 * left out: anybody can emit an event that resembles these.
 *
 * @throws Error if a log of the router itself cannot be read: then it is not the router of this version
 */
export function parseChargeLogs(logs: readonly RawLog[], router: string): ChargeLog[] {
  const from = getAddress(router);
  return logs.flatMap((log, index) => {
    if (getAddress(log.address) !== from) return [];
    if (log.topics[0] === chargedTopic) return [parseCharged(log, index)];
    if (log.topics[0] === refusedTopic) return [parseRefused(log, index)];
    return [];
  });
}

const chargedSchema = z.object({
  key: z.string(),
  merchant: z.string(),
  from: z.string(),
  token: z.string(),
  gross: z.bigint(),
  to: z.array(z.string()),
  amounts: z.array(z.bigint()),
});

function parseCharged(log: RawLog, index: number): ChargeLog {
  return { kind: 'charged', index, ...chargedSchema.parse(readArguments('Charged', log)) };
}

const refundedSchema = z.object({
  refund: z.string(),
  key: z.string(),
  to: z.string(),
  token: z.string(),
  amount: z.bigint(),
});

/** A deposit's refund as a charge with one share; `account` is the deposit address's key. Null: another log. */
export function parseRefundLog(log: RawLog, router: string) {
  if (getAddress(log.address) !== getAddress(router) || log.topics[0] !== depositRefundedTopic) return null;
  const { refund, key, to, token, amount } = refundedSchema.parse(readArguments('DepositRefunded', log));
  return { kind: 'charged', key: refund, account: key, token, gross: amount, to: [to], amounts: [amount] } as const;
}

const returnSchema = z.object({
  key: z.string(),
  from: z.string(),
  to: z.string(),
  token: z.string(),
  amount: z.bigint(),
});

/** What somebody has returned of the charge `key`, through one of these routers. Null: another log. */
export function parseReturnLog(log: RawLog, routers: readonly string[]) {
  if (!routers.includes(getAddress(log.address)) || log.topics[0] !== refundedTopic) return null;
  return returnSchema.parse(readArguments('Refunded', log));
}

const refusedSchema = z.object({ key: z.string(), reason: z.string() });

function parseRefused(log: RawLog, index: number): ChargeLog {
  const { key, reason } = refusedSchema.parse(readArguments('Refused', log));
  return { kind: 'refused', index, key, reason: decodeReason(reason) };
}

function readArguments(event: string, log: RawLog): Record<string, unknown> {
  return routerInterface.decodeEventLog(event, log.data, log.topics).toObject();
}

function topicOf(event: string): string {
  const fragment = routerInterface.getEvent(event);
  if (fragment === null)
    throw new Error(
      `The router's ABI has no event ${event}: compile its artifacts again (npm run ops -- contracts compile)`,
    );
  return fragment.topicHash;
}
