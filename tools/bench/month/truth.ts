import { id, zeroPadValue } from 'ethers';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { hexBytes, logsSchema, smallQuantity, toQuantity, type WireLog } from '../../../src/chains/evm/wire.ts';
import { type RpcCall, resultOf } from '../../../src/chains/rpc.ts';
import { numberOf } from '../documents.ts';
import { counted, type Row } from '../row.ts';
import type { EvmMarket } from '../settlement/evm-market.ts';
import { CHARGED_TENTHS, tenthOf } from './fill.ts';
import { indexOfPrice, indexOfShare } from './prices.ts';

const TRANSFER = id('Transfer(address,address,uint256)');
/** With blocks five seconds apart, this is some five thousand transfers. */
const BLOCKS_AT_ONCE = 2;
const ADDRESS_AT = 26;

/** A transfer of the token; addresses in lower case. */
export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** Bits of a subscription: the transfers of its charge that the logs show. */
const PULLED = 1;
const PAID = 2;

/**
 * Which subscriptions were charged, by transfers: the router pulls the price from the payer, and pays the merchant's
 * share. Those that are filled have no charge. Takes a byte for each subscription.
 */
export class Tally {
  readonly #seen: Uint8Array;
  readonly #payers: readonly string[];
  readonly #router: string;
  readonly #receiver: string;
  readonly #feeBps: number;
  #twice = 0;
  #strange = 0;

  constructor(count: number, market: Pick<EvmMarket, 'payers' | 'router' | 'feeBps'>, receiver: string) {
    const { payers, router, feeBps } = market;
    this.#seen = new Uint8Array(count);
    this.#payers = payers.map((payer) => payer.toLowerCase());
    this.#router = router.toLowerCase();
    this.#receiver = receiver.toLowerCase();
    this.#feeBps = feeBps;
  }

  take(transfer: Transfer): void {
    const part = transfer.to === this.#receiver ? PAID : PULLED;
    const index = part === PAID ? this.#paid(transfer) : this.#pulled(transfer);
    const seen = index === null || this.#isFilled(index) ? undefined : this.#seen[index];
    if (index === null || seen === undefined) this.#strange += 1;
    else if ((seen & part) !== 0) this.#twice += 1;
    else this.#seen[index] = seen | part;
  }

  #isFilled(index: number): boolean {
    return !CHARGED_TENTHS.includes(tenthOf(index, this.#seen.length));
  }

  #pulled({ from, to, amount }: Transfer): number | null {
    const index = indexOfPrice(amount);
    const isOurs = index !== null && to === this.#router && this.#payers[index % this.#payers.length] === from;
    return isOurs ? index : null;
  }

  #paid({ from, amount }: Transfer): number | null {
    return from === this.#router ? indexOfShare(amount, this.#feeBps) : null;
  }

  /** @param settled the payments that the database has as settled */
  rows(settled: number): Row[] {
    const count = this.#seen.length;
    const due = this.#seen.filter((_, index) => !this.#isFilled(index)).length;
    const all = (name: string, unit: string, value: number, expected: number): Row => ({
      ...counted(`${name}, of ${numberOf(expected)} subscriptions`, unit, value, { atLeast: expected }),
      holds: value === expected,
    });
    const charged = this.#seen.reduce((sum, seen) => sum + Number(seen === (PULLED | PAID)), 0);
    return [
      all('charged on the chain by the Transfer logs', 'subscriptions', charged, due),
      counted(`charged twice, of ${numberOf(due)} subscriptions`, 'transfers', this.#twice, { atMost: 0 }),
      counted('transfers that belong to none of them', 'transfers', this.#strange, { atMost: 0 }),
      all('settled in the database', 'payments', settled, count),
    ];
  }
}

/** What the chain has kept of the charges. */
export interface Ledger {
  /** Of the encoded blocks: headers and transactions. */
  readonly bytes: number;
  readonly gas: number;
}

const block = z.object({ gasUsed: smallQuantity, size: smallQuantity });

/** Reads the chain from the block `first` to its end, some blocks at a time. */
export async function readChain(
  { rpc, router, playing, world: { progress, signal } }: EvmMarket,
  { receiver, first }: { readonly receiver: string; readonly first: number },
  tally: Tally,
): Promise<Ledger> {
  const topics = [TRANSFER, null, [router, receiver].map((address) => zeroPadValue(address, 32))];
  const last = await newestBlock({ rpc });
  let [bytes, gas] = [0, 0];
  for (let from = first; from <= last; from += BLOCKS_AT_ONCE) {
    signal.throwIfAborted();
    progress.step(`month: transfers of block ${numberOf(from - first)} of ${numberOf(last - first)}`);
    const to = Math.min(last, from + BLOCKS_AT_ONCE - 1);
    const range = { address: playing, topics, fromBlock: toQuantity(from), toBlock: toQuantity(to) };
    const heads: RpcCall[] = Array.from({ length: to - from + 1 }, (_, at) => ({
      method: 'eth_getBlockByNumber',
      params: [toQuantity(from + at), false],
    }));
    const [logs, ...blocks] = (await rpc.batch([{ method: 'eth_getLogs', params: [range] }, ...heads])).map(resultOf);
    for (const log of logsSchema.parse(logs)) if (log !== undefined) tally.take(transferOf(log));
    for (const { size, gasUsed } of z.array(block).parse(blocks)) {
      bytes += size;
      gas += gasUsed;
    }
  }
  return { bytes, gas };
}

function transferOf({ topics, data }: WireLog): Transfer {
  const [from = '', to = ''] = topics.slice(1).map((topic) => `0x${topic.slice(ADDRESS_AT).toLowerCase()}`);
  return { from, to, amount: BigInt(hexBytes.parse(data)) };
}

export async function newestBlock({ rpc }: Pick<EvmMarket, 'rpc'>): Promise<number> {
  return smallQuantity.parse(await rpc.call('eth_blockNumber', []));
}

/** Settled payments. More payments than those would be a second cycle, so they do not count. */
export async function settledPayments(db: Db): Promise<number> {
  const [payments, open] = [db.collection('payments'), await db.collection('openPayments').countDocuments()];
  const [settled, ended] = [await payments.countDocuments({ status: 'settled' }), await payments.countDocuments()];
  return settled === ended + open ? settled : -(ended + open);
}
