import { isNativeCoin } from '../../chains/charges.ts';
import type { DepositState, OtherMoney, OtherToken } from '../../chains/port.ts';
import { held, isByBalance } from '../../model/deposit.ts';
import type { DepositArrival, DepositDoc } from '../../store/collections.ts';
import { derivedId } from '../../store/ids.ts';
import { type BookDeps, changeBook } from './book.ts';

/** The most tokens outside of the catalog that are tracked at an address, because anybody can create more. */
const OTHERS_MAX = 20;

/**
 * Adds the other tokens at an address to a payment's deposits: one held entry per token, whose amount follows the
 * balance until it is sent. If the chain does not say which tokens are there, the known entries stay.
 */
export function withOthers(
  doc: Pick<DepositDoc, 'chainId' | 'address' | 'createdAt'>,
  arrivals: readonly DepositArrival[],
  { others, otherTokens }: Pick<DepositState, 'others' | 'otherTokens'>,
): DepositArrival[] {
  const known = new Set(arrivals.filter(isByBalance).map(({ token }) => token));
  return [
    ...arrivals.flatMap((arrival): DepositArrival[] => {
      if (!isByBalance(arrival) || arrival.fate === 'refunding') return [arrival];
      const other = others.find(({ token }) => token === arrival.token);
      const isUnknown = other === undefined && otherTokens === 'unknown' && arrival.held !== 'unread';
      return isUnknown ? [arrival] : following(arrival, other);
    }),
    ...takenUp(others, known).map((other) => otherArrival(doc, other)),
  ];
}

/**
 * The new entries. Anybody can create tokens, so their number is limited; the native coin and catalog tokens are not.
 */
function takenUp(others: readonly OtherMoney[], known: ReadonlySet<string>): OtherMoney[] {
  const fresh = others.filter(({ token }) => !known.has(token));
  const isStrange = ({ token, why }: OtherMoney) => why === 'not_in_catalog' && !isNativeCoin(token);
  const free = Math.max(0, OTHERS_MAX - known.size);
  return [...fresh.filter((other) => !isStrange(other)), ...fresh.filter(isStrange).slice(0, free)];
}

/** Updates an entry to the present balance. Removes it if the balance is zero and nothing of it was ever sent. */
function following(arrival: DepositArrival, other: OtherMoney | undefined): DepositArrival[] {
  const sent = BigInt(arrival.refunded);
  const now: DepositArrival = { ...arrival, amount: String(sent + (other?.amount ?? 0n)) };
  if (other !== undefined) return [held(now, arrival.held === 'refund_refused' ? arrival.held : other.why)];
  return sent > 0n ? [{ ...now, fate: 'refunded', held: null }] : [];
}

/** Stores tokens outside of the catalog that a log shows to arrive at deposit addresses. */
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
    amount: amount.toString(),
    block: { number: block, hash: '' },
    charged: '0',
    refunded: '0',
    fate: 'held',
    held: why,
    refund: null,
  };
}
