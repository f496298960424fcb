import { dataSlice, id } from 'ethers';
import type { OnChainCharge, OnChainRefund, OnChainShare } from '../../chain-reader.ts';
import { getAddress } from '../address.ts';
import { parseChargeLogs, parseRefundLog, parseReturnLog, refusedTopic } from '../contracts/charge-logs.ts';
import { depositAddress } from '../contracts/router.ts';
import type { WireLog } from '../wire.ts';

export const TRANSFER_TOPIC = id('Transfer(address,address,uint256)');

/** One Transfer log of a token; checksummed addresses, base units. */
export interface Transfer {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly txHash: string;
  readonly block: number;
  readonly index: number;
}

/** Reads a Transfer log. Null: another event, or a token with indexed ids. */
function readTransfer(log: WireLog): Transfer | null {
  const [topic, from, to, more] = log.topics;
  if (topic !== TRANSFER_TOPIC || from === undefined || to === undefined || more !== undefined) return null;
  return {
    token: getAddress(log.address),
    from: getAddress(dataSlice(from, 12)),
    to: getAddress(dataSlice(to, 12)),
    amount: BigInt(log.data === '0x' ? '0x0' : log.data),
    txHash: log.transactionHash,
    block: log.blockNumber,
    index: log.logIndex,
  };
}

/** What a router's log says about a charge. */
type Logged = Pick<OnChainCharge, 'key' | 'merchant' | 'token' | 'from' | 'gross'> & {
  readonly to: readonly string[];
  readonly amounts: readonly bigint[];
};

/** A router's log as a charge, without the indexes of its shares. */
function chargeIn(log: WireLog, router: string, logged: Logged): OnChainCharge {
  const { key, merchant, token, from, gross, to, amounts } = logged;
  const shares = to.map((each, at) => ({ to: each, account: null, amount: amounts[at] ?? 0n, index: null }));
  return {
    key,
    router: getAddress(router),
    txHash: log.transactionHash,
    block: { number: log.blockNumber, hash: log.blockHash },
    merchant,
    token,
    from,
    gross,
    shares: shares.filter(({ amount }) => amount > 0n),
    index: log.logIndex,
  };
}

function readCharge(log: WireLog, router: string): OnChainCharge | null {
  const [charged] = parseChargeLogs([log], router);
  return charged?.kind === 'charged' ? chargeIn(log, router, charged) : null;
}

/** A router's `DepositRefunded` log, as a charge with one share from the deposit address. */
function readRefund(log: WireLog, router: string): OnChainCharge | null {
  const refund = parseRefundLog(log, router);
  if (refund === null) return null;
  const { account } = refund;
  return chargeIn(log, router, { ...refund, merchant: account, from: depositAddress(router, account) });
}

/** Merchants' refunds in these ordered logs. The index counts those of one key in one transaction. */
export function refundsIn(logs: readonly WireLog[], routers: readonly string[]): OnChainRefund[] {
  const counts = new Map<string, number>();
  return logs.flatMap((log) => {
    const refund = parseReturnLog(log, routers);
    if (refund === null) return [];
    const { transactionHash: transaction, logIndex } = log;
    const name = `${transaction} ${refund.key}`;
    const index = counts.get(name) ?? 0;
    counts.set(name, index + 1);
    const { to: receiver, ...logged } = refund;
    const block = { number: log.blockNumber, hash: log.blockHash };
    const where = {
      router: getAddress(log.address),
      reference: null,
      account: null,
      transaction,
      index,
      block,
      logIndex,
    };
    return [{ ...logged, receiver, ...where }];
  });
}

/** The charges of one transaction, and its transfers that none of them explains. */
export interface ReadTransaction {
  readonly charges: readonly OnChainCharge[];
  readonly left: readonly Transfer[];
}

/**
 * Reads the logs of one transaction, in their order. The router pays the shares of a charge and then logs `Charged`, so
 * the shares are between that log and the charge log before it. A share of an open charge comes from the router; under
 * a mandate it comes straight from the payer. Refunds of deposits are included, without indexes: a refund leaves its
 * deposit address directly.
 */
export function readTransaction(logs: readonly WireLog[], routers: readonly string[]): ReadTransaction {
  const charges: OnChainCharge[] = [];
  const left: Transfer[] = [];
  let since: Transfer[] = [];
  for (const log of logs) {
    const transfer = readTransfer(log);
    if (transfer !== null) since.push(transfer);
    const router = routers.find((each) => each === getAddress(log.address));
    if (router === undefined) continue;
    const refund = readRefund(log, router);
    if (refund !== null) charges.push(refund);
    const charge = readCharge(log, router);
    if (charge !== null) charges.push(paid(charge, since, router));
    if (charge !== null || log.topics[0] === refusedTopic) {
      left.push(...since);
      since = [];
    }
  }
  return { charges, left: [...left, ...since] };
}

/** The charge with the indexes of its shares. Takes the transfers of its shares out of `transfers`. */
function paid(charge: OnChainCharge, transfers: Transfer[], router: string): OnChainCharge {
  const open = placed(charge, transfers, router);
  const isBounded = open.every(({ index }) => index === null);
  return { ...charge, isBounded, shares: isBounded ? placed(charge, transfers, charge.from) : open };
}

function placed({ token, shares }: OnChainCharge, transfers: Transfer[], payer: string): OnChainShare[] {
  return shares.map((share) => {
    const isShare = ({ to, amount }: Transfer) => to === share.to && amount === share.amount;
    const at = transfers.findIndex((each) => each.token === token && each.from === payer && isShare(each));
    const [found] = at < 0 ? [] : transfers.splice(at, 1);
    return { ...share, index: found?.index ?? null };
  });
}
