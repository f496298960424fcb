import { dataSlice, id, zeroPadValue } from 'ethers';
import { chunksOf } from '../../chain-reader.ts';
import { type RpcAnswer, type RpcCall, resultOf } from '../../rpc.ts';
import type { EvmLink } from '../link.ts';
import { logsSchema, toQuantity, type WireLog } from '../wire.ts';

/** The arguments of `eth_getLogs` without the range of blocks. */
export interface LogFilter {
  /** Absent: any contract. */
  readonly address?: readonly string[];
  readonly topics: readonly (string | null | readonly string[])[];
}

const APPROVAL = id('Approval(address,address,uint256)');
const TRANSFER = id('Transfer(address,address,uint256)');
const REVOKED = id('AgreementRevoked(address,bytes32,bytes32)');
const ANNOUNCED = id('PayeeAnnounced(bytes32,address,uint256)');
const WITHDRAWN = id('PayeeWithdrawn(bytes32,address)');
const SENDER_REMOVED = id('SenderRemoved(address)');
const ROUTER_EVENTS = [REVOKED, ANNOUNCED, WITHDRAWN, SENDER_REMOVED];

/** Addresses to ask for; the keys count. */
type Addresses = ReadonlyMap<string, unknown> | ReadonlySet<string>;

/** The most lists of topics for the events of a token. Instead of more lists, one filter asks for all its events. */
const LISTS_MAX = 4;
/** The most lists for events of any contract. It is higher, because one filter for all of them has a long answer. */
const LISTS_OF_EVERY_CONTRACT_MAX = 40;

/**
 * The filters for all needed logs. A list of topics has at most `most` addresses: nodes refuse longer ones. Where there
 * are too many lists, a filter names no address, and the answer has logs of others.
 */
export function filtersFor(
  asked: {
    readonly tokens: readonly string[];
    readonly operators?: Addresses;
    /** Addresses for which transfers of these tokens are needed. */
    readonly wallets: readonly Addresses[];
    /** Addresses for which transfers of any contract are needed. */
    readonly deposits?: Addresses;
    /** The contracts whose own events are needed. */
    readonly routers?: readonly string[];
  },
  most: number,
): LogFilter[] {
  const { tokens: address, operators = new Set(), wallets, deposits = new Set(), routers = [] } = asked;
  if (address.length === 0) return [];
  const ofTokens = (event: string, addresses: Addresses) =>
    listsOf(addresses, most, LISTS_MAX).map((list) => ({ address, topics: [event, ...list] }));
  return [
    ...(routers.length === 0 ? [] : [{ address: routers, topics: [ROUTER_EVENTS] }]),
    ...ofTokens(APPROVAL, operators),
    ...wallets.flatMap((addresses) => ofTokens(TRANSFER, addresses)),
    ...listsOf(deposits, most, LISTS_OF_EVERY_CONTRACT_MAX).map((list) => ({ topics: [TRANSFER, ...list] })),
  ];
}

/** The topics after the event's own, for each filter. */
function listsOf(addresses: Addresses, most: number, listsMax: number): (null | string[])[][] {
  if (addresses.size > most * listsMax) return [[]];
  return chunksOf([...addresses.keys()], most).map((list) => [null, list.map(toTopic)]);
}

/** The wallet of a log, in lower case: the approver or the receiver. Null: another event. */
export function walletOf(log: WireLog): string | null {
  const [event, first, second] = log.topics;
  const topic = event === APPROVAL ? first : event === TRANSFER ? second : undefined;
  return topic === undefined ? null : addressIn(topic);
}

/** The allowance that a log has set; null: another event. Addresses in lower case. */
export function approvalOf(log: WireLog): { readonly wallet: string; readonly operator: string } | null {
  const [event, owner, spender] = log.topics;
  if (event !== APPROVAL || owner === undefined || spender === undefined) return null;
  return { wallet: addressIn(owner), operator: addressIn(spender) };
}

/** What a router says about consent. Addresses in lower case, `merchant` as in `merchantSalt`. */
export type RouterEvent =
  | { readonly kind: 'revoked'; readonly payer: string; readonly merchant: string; readonly agreement: string }
  | { readonly kind: 'announced' | 'withdrawn'; readonly merchant: string; readonly payee: string }
  | { readonly kind: 'sender_removed' };

/** Null: the log is of another event. */
export function routerEventOf({ topics }: WireLog): RouterEvent | null {
  const [event, first, second, third] = topics;
  if (event === SENDER_REMOVED) return { kind: 'sender_removed' };
  if (first === undefined || second === undefined) return null;
  switch (event) {
    case REVOKED:
      return third === undefined
        ? null
        : { kind: 'revoked', payer: addressIn(first), merchant: second, agreement: third };
    case ANNOUNCED:
      return { kind: 'announced', merchant: first, payee: addressIn(second) };
    case WITHDRAWN:
      return { kind: 'withdrawn', merchant: first, payee: addressIn(second) };
    default:
      return null;
  }
}

function addressIn(topic: string): string {
  return dataSlice(topic, 12).toLowerCase();
}

/** True for a transfer of an amount (ERC-20). One of a single piece (ERC-721) has one more topic and no data. */
export function isTokenTransfer({ topics, data }: WireLog): boolean {
  return topics.length === 3 && topics[0] === TRANSFER && /^0x[0-9a-f]{64}$/i.test(data) && BigInt(data) > 0n;
}

function toTopic(address: string): string {
  return zeroPadValue(address, 32);
}

/** The nodes, and the most blocks in one request. */
interface LogSource {
  readonly link: Pick<EvmLink, 'sized' | 'readable'>;
  readonly sizes: { readonly logBlocks: number };
}

/** Both ends are included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** All logs of the filters from the end of the part before up to block `to`, included. */
export interface LogPart {
  readonly logs: readonly WireLog[];
  readonly to: number;
}

const METHOD = 'eth_getLogs';

/**
 * The logs of these filters in a range of blocks, oldest first, in parts of as many blocks as the node accepts. It asks
 * for the next part only when the caller wants it.
 * @throws NodeUnreachable; NodeRefused when the node refuses even one block
 */
export async function* logParts(
  source: LogSource,
  filters: readonly LogFilter[],
  range: BlockRange,
): AsyncGenerator<LogPart> {
  for (let from = range.from; from <= range.to; ) {
    const { answers, to } = await askLogs(source, filters, { from, to: range.to });
    yield { logs: logsIn(source, answers), to };
    from = to + 1;
  }
}

/** The logs in the answers, without those in an unknown form. */
export function logsIn({ link }: Pick<LogSource, 'link'>, answers: readonly RpcAnswer[]): WireLog[] {
  const logs = answers.flatMap((answer) => logsSchema.parse(resultOf(answer)));
  return link.readable('logs', logs);
}

/** One answer for each filter, from the first block of the range up to and with `to`: as many as the node accepts. */
export async function askLogs(
  { link, sizes }: LogSource,
  filters: readonly LogFilter[],
  { from, to: last }: BlockRange,
): Promise<{ readonly answers: readonly RpcAnswer[]; readonly to: number }> {
  const amount = Math.min(sizes.logBlocks, last - from + 1);
  const calls = (blocks: number) => filters.map((filter) => logsCall(filter, { from, to: from + blocks - 1 }));
  const { size, answers } = await link.sized({ method: METHOD, amount, calls });
  return { answers, to: from + size - 1 };
}

export function logsCall(filter: LogFilter, { from, to }: BlockRange): RpcCall {
  return { method: METHOD, params: [{ fromBlock: toQuantity(from), toBlock: toQuantity(to), ...filter }] };
}
