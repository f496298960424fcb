import type { OtherMoney, OtherToken } from '../../chains/port.ts';
import { derivedId } from '../../ids.ts';
import type { DepositArrival, DepositDoc } from '../../store/collections.ts';
import { type BookDeps, changeBook } from './book.ts';
import { held, isByBalance, leftOf } from './share-out.ts';

/**
 * The arrivals of a payment with what else lies at its address: one for each token, held, whose amount follows the balance for as
 * long as it is not on its way. `others` null: what lies there is not known, so nothing changes.
 */
export function withOthers(
  doc: Pick<DepositDoc, 'chainId' | 'address' | 'createdAt'>,
  arrivals: readonly DepositArrival[],
  others: readonly OtherMoney[] | null,
): DepositArrival[] {
  if (others === null) return [...arrivals];
  const known = new Set(arrivals.filter(isByBalance).map(({ token }) => token));
  return [
    ...arrivals.flatMap((arrival): DepositArrival[] => {
      if (!isByBalance(arrival) || arrival.fate === 'refunding') return [arrival];
      return following(
        arrival,
        others.find(({ token }) => token === arrival.token),
      );
    }),
    ...others.filter(({ token }) => !known.has(token)).map((other) => otherArrival(doc, other)),
  ];
}

/** The same with what lies there now; gone where nothing does, and nothing of it was ever sent. */
function following(arrival: DepositArrival, other: OtherMoney | undefined): DepositArrival[] {
  const sent = BigInt(arrival.refunded);
  const now: DepositArrival = { ...arrival, amount: String(sent + (other?.amount ?? 0n)) };
  if (leftOf(now) > 0n) return [held(now, arrival.held ?? other?.why ?? 'unread')];
  return sent > 0n ? [{ ...now, fate: 'refunded', held: null }] : [];
}

/** So many tokens that the catalog does not have are looked for at one address: anybody can make another. */
const OTHERS_MAX = 20;

/** Notes which tokens that the catalog does not have a log has shown to arrive at deposit addresses. */
export async function noteOthers(deps: BookDeps, chainId: number, others: readonly OtherToken[]): Promise<void> {
  if (others.length === 0) return;
  const wallets = [...new Set(others.map(({ wallet }) => wallet))];
  const where = { chainId, wallet: { in: wallets }, operator: null };
  const watches = await deps.records.find('watches', { where, limit: wallets.length });
  for (const { _id, wallet } of watches) {
    const tokens = others.flatMap((other) => (other.wallet === wallet ? [other.token] : []));
    await changeBook(deps, _id, ({ others: known = [] }) => {
      const all = [...new Set([...known, ...tokens])].slice(0, OTHERS_MAX);
      return all.length === known.length ? null : { others: all };
    });
  }
}

function otherArrival(
  { chainId, address, createdAt }: Pick<DepositDoc, 'chainId' | 'address' | 'createdAt'>,
  { token, amount, why, block }: OtherMoney,
): DepositArrival {
  return {
    id: derivedId('dep', createdAt, `${chainId}:${address}:${token}`),
    txHash: null,
    index: 0,
    token,
    from: null,
    isOwn: false,
    amount: amount.toString(),
    block: { number: block, hash: '' },
    charged: '0',
    refunded: '0',
    fate: 'held',
    held: why,
    refund: null,
  };
}
