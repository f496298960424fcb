import { Interface, id } from 'ethers';
import { z } from 'zod';
import { connectTo } from './chain.ts';
import { type DevnetFacts, tokenNamed } from './devnet-facts.ts';
import { PLAYING_TOKEN_KEY } from './shop.ts';

/** One Transfer log of the token: the judge of what has moved. Base units; checksummed addresses. */
export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly txHash: string;
}

/** One charge as the router has logged it. */
export interface Charged {
  readonly key: string;
  readonly from: string;
  readonly gross: bigint;
  readonly txHash: string;
}

/** What the chain says, read with eyes of its own: an ABI of two events, and nothing of the service. */
export interface Ledger {
  readonly transfers: readonly Transfer[];
  readonly charges: readonly Charged[];
}

const events = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Charged(bytes32 indexed key, bytes32 indexed merchant, address indexed from, address token, uint256 gross, address[] to, uint256[] amounts)',
]);

const transfer = z.object({ from: z.string(), to: z.string(), value: z.bigint() });
const charged = z.object({ key: z.string(), from: z.string(), gross: z.bigint() });

/** Every Transfer of the playing token and every charge of the router, in the chain's order. */
export async function readLedger(facts: DevnetFacts): Promise<Ledger> {
  const provider = connectTo(facts);
  const read = async <T>(address: string, event: string, schema: z.ZodType<T>): Promise<(T & { txHash: string })[]> => {
    const topic = events.getEvent(event)?.topicHash ?? null;
    const logs = await provider.getLogs({ address, topics: [topic], fromBlock: 0, toBlock: 'latest' });
    return logs.map((log) => {
      const said = events.decodeEventLog(event, log.data, log.topics).toObject();
      return { ...schema.parse(said), txHash: log.transactionHash };
    });
  };
  try {
    const [transfers, charges] = await Promise.all([
      read(tokenNamed(facts, PLAYING_TOKEN_KEY), 'Transfer', transfer),
      read(facts.router, 'Charged', charged),
    ]);
    return { transfers, charges };
  } finally {
    provider.destroy();
  }
}

/** What the chain refuses to charge twice (docs/rules.md, rule 5). */
export function keyOfCycle(subscriptionId: string, cycle: number): string {
  return id(`subscription:${subscriptionId}:${cycle}`);
}

export function keyOfPayment(paymentId: string): string {
  return id(`payment:${paymentId}`);
}
