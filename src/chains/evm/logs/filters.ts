import { dataSlice, id, zeroPadValue } from 'ethers';
import type { WireLog } from '../wire.ts';

/** What `eth_getLogs` takes beside the range. */
export interface LogFilter {
  /** Absent: of any contract. */
  readonly address?: readonly string[];
  readonly topics: readonly (string | null | readonly string[])[];
}

const APPROVAL = id('Approval(address,address,uint256)');
const TRANSFER = id('Transfer(address,address,uint256)');

/** Whom and what to ask for; lists of topics of at most `most` addresses each, for nodes take no endless ones. */
export function filtersFor(
  asked: {
    readonly tokens: readonly string[];
    readonly operators: readonly string[];
    readonly wallets: readonly string[];
    /** To these, transfers of any contract are asked for. */
    readonly deposits?: readonly string[];
  },
  most: number,
): LogFilter[] {
  const { tokens: address, operators, wallets, deposits = [] } = asked;
  if (address.length === 0) return [];
  return [
    ...chunks(operators, most).map((list) => ({ address, topics: [APPROVAL, null, list.map(toTopic)] })),
    ...chunks(wallets, most).map((list) => ({ address, topics: [TRANSFER, null, list.map(toTopic)] })),
    ...chunks(deposits, most).map((list) => ({ topics: [TRANSFER, null, list.map(toTopic)] })),
  ];
}

/** The wallet that a log is about, in lower case: who approved, or who received; null: another event. */
export function walletOf(log: WireLog): string | null {
  const [event, first, second] = log.topics;
  const topic = event === APPROVAL ? first : event === TRANSFER ? second : undefined;
  return topic === undefined ? null : addressIn(topic);
}

/** An allowance that a log shows to have been set; null: another event. Addresses in lower case. */
export function approvalOf(log: WireLog): { readonly wallet: string; readonly operator: string } | null {
  const [event, owner, spender] = log.topics;
  if (event !== APPROVAL || owner === undefined || spender === undefined) return null;
  return { wallet: addressIn(owner), operator: addressIn(spender) };
}

function addressIn(topic: string): string {
  return dataSlice(topic, 12).toLowerCase();
}

/** Whether it is a transfer of something as an ERC-20 token tells it: one of a single piece (ERC-721) has a topic more and no data. */
export function isTokenTransfer({ topics, data }: WireLog): boolean {
  return topics.length === 3 && topics[0] === TRANSFER && /^0x[0-9a-f]{64}$/i.test(data) && BigInt(data) > 0n;
}

function toTopic(address: string): string {
  return zeroPadValue(address, 32);
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size));
  return parts;
}
