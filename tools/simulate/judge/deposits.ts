import { leftOf } from '../../../src/model/deposit.ts';
import type { DepositArrival, DepositDoc, DepositFate } from '../../../src/store/collections.ts';
import type { SimulatedChain } from '../simulated-chain.ts';

/** The final outcomes of an arrival. */
const ENDS: ReadonlySet<DepositFate> = new Set(['charged', 'refunded', 'held']);

/** Every arrival is charged, refunded or held, and the rest is the balance. Refunds go to the refund wallet. */
export function depositViolations(deposits: readonly DepositDoc[], chains: readonly SimulatedChain[]): string[] {
  return deposits.flatMap(({ _id, chainId, address, arrivals, refundWallet }) => {
    const chain = chains.find((each) => each.chainId === chainId);
    const lies = chain?.balanceOf(address) ?? 0n;
    const left = arrivals.reduce((sum, arrival) => sum + leftOf(arrival), 0n);
    const open = arrivals.filter(({ fate }) => !ENDS.has(fate));
    const guessed = arrivals.filter(({ refund }) => refund !== null && refund.to !== refundWallet);
    return [
      ...guessed.map(({ id, refund }) => `${id} of ${_id} was sent to ${refund?.to}, not to ${refundWallet}`),
      ...open.map(({ id, fate, amount }) => `${amount} that came for ${_id} (${id}) are ${fate}`),
      ...(lies === left ? [] : [`${lies} lie at the deposit address of ${_id}; ${left} are said to be left there`]),
    ];
  });
}

/** The arrival whose refund has this key. */
export function refundedBy(deposits: readonly DepositDoc[], key: string): DepositArrival | undefined {
  return deposits.flatMap(({ arrivals }) => arrivals).find(({ refund }) => refund?.key === key);
}
