import { concat, Interface, id, keccak256, toBeHex } from 'ethers';
import { z } from 'zod';
import type { Transfer } from './erc20.ts';
import type { LocalChain } from './local-chain.ts';

/** One charge in the router's log. */
export interface Charged {
  readonly key: string;
  readonly gross: bigint;
  readonly txHash: string;
}

/** The chain's own record. It is read with an ABI of two events, and without any code of the service. */
export interface Ledger {
  readonly transfers: readonly Transfer[];
  readonly charges: readonly Charged[];
}

const router = new Interface([
  'event Charged(bytes32 indexed key, bytes32 indexed merchant, address indexed from, address token, uint256 gross, address[] to, uint256[] amounts)',
]);

const charged = z.object({ key: z.string(), gross: z.bigint() });

/** Every Transfer of the playing token and every charge of the router, in the chain's order. */
export async function readLedger(chain: LocalChain): Promise<Ledger> {
  const [transfers, charges] = await Promise.all([chain.transfers(), readCharges(chain)]);
  return { transfers, charges };
}

async function readCharges({ provider, router: address }: LocalChain): Promise<Charged[]> {
  const topic = router.getEvent('Charged')?.topicHash ?? null;
  const logs = await provider.getLogs({ address, topics: [topic], fromBlock: 0, toBlock: 'latest' });
  return logs.map((log) => {
    const args = router.decodeEventLog('Charged', log.data, log.topics).toObject();
    return { ...charged.parse(args), txHash: log.transactionHash };
  });
}

/** The key that the chain accepts only once (docs/rules.md, rule 5). `secret`: the payment's, if it has one. */
export function keyOfCycle(subscriptionId: string, cycle: number, secret?: string): string {
  return id(['subscription', subscriptionId, cycle, ...(secret === undefined ? [] : [secret])].join(':'));
}

export function keyOfPayment(paymentId: string, secret?: string): string {
  return id(['payment', paymentId, ...(secret === undefined ? [] : [secret])].join(':'));
}

/** The key of a charge under a mandate. */
export function keyUnder(agreement: string, cycle: number): string {
  return keccak256(concat([agreement, toBeHex(cycle, 32)]));
}
