import { Transaction } from 'ethers';
import { RpcFault } from '../../../devnet/solana/rpc-fault.ts';
import { transactionHash } from '../../../src/chains/evm/eip1559.ts';
import { toQuantity } from '../../../src/chains/evm/wire.ts';
import { CHAIN_ID } from './execute.ts';

/** A transaction; addresses in lower case. */
export interface SimTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value: bigint;
  /** Null: the wallet's own transaction. It takes the next nonce and costs nothing. */
  readonly nonce: number | null;
  readonly gasLimit: number;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** Null: no key signed it. */
  readonly signature: { readonly yParity: 0 | 1; readonly r: string; readonly s: string } | null;
}

/** The JSON-RPC error code of a node that does not accept a transaction. */
export const REFUSED = -32000;

/** The JSON-RPC error code of a call that reverted. */
export const REVERTED = 3;

/**
 * Decodes a signed transaction.
 * @throws RpcFault if it is not a transaction of this chain, or of a type that is not simulated
 */
export function readRaw(raw: unknown): SimTransaction {
  const read = parse(raw);
  const { from, to, nonce, data, value, gasLimit, signature } = read;
  if (from === null) throw new RpcFault(REFUSED, 'transaction is not signed');
  if (to === null) throw new RpcFault(REFUSED, 'a simulated chain makes no contracts');
  if (read.chainId !== BigInt(CHAIN_ID)) throw new RpcFault(REFUSED, 'invalid chain id for signer');
  const maxFeePerGas = read.maxFeePerGas ?? read.gasPrice ?? 0n;
  const maxPriorityFeePerGas = read.maxPriorityFeePerGas ?? maxFeePerGas;
  if (maxPriorityFeePerGas > maxFeePerGas) {
    throw new RpcFault(REFUSED, 'max priority fee per gas higher than max fee per gas');
  }
  return {
    hash: transactionHash(String(raw)),
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    data,
    value,
    nonce,
    gasLimit: Number(gasLimit),
    maxFeePerGas,
    maxPriorityFeePerGas,
    signature: signature && { yParity: signature.yParity, r: signature.r, s: signature.s },
  };
}

function parse(raw: unknown): Transaction {
  try {
    return Transaction.from(String(raw));
  } catch {
    throw new RpcFault(-32602, 'Failed to decode transaction');
  }
}

/** The tip per gas for the maker of the block. */
export function tipOf({ maxFeePerGas, maxPriorityFeePerGas }: SimTransaction, baseFee: bigint): bigint {
  const left = maxFeePerGas - baseFee;
  return left < maxPriorityFeePerGas ? left : maxPriorityFeePerGas;
}

/** The position of a transaction in the chain. */
export interface Inclusion {
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly index: number;
  /** Wei per gas that it paid. */
  readonly gasPrice: bigint;
}

/** The transaction in the format of JSON-RPC; `inclusion` null: it is in no block. */
export function transactionView(transaction: SimTransaction, nonce: number, inclusion: Inclusion | null): object {
  const { hash, from, to, data, value, gasLimit, maxFeePerGas, maxPriorityFeePerGas, signature } = transaction;
  const { yParity, r, s } = signature ?? { yParity: 0, r: '0x0', s: '0x0' };
  return {
    type: '0x2',
    chainId: toQuantity(CHAIN_ID),
    hash,
    from,
    to,
    input: data,
    value: toQuantity(value),
    nonce: toQuantity(nonce),
    gas: toQuantity(gasLimit),
    maxFeePerGas: toQuantity(maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas),
    gasPrice: toQuantity(inclusion?.gasPrice ?? maxFeePerGas),
    accessList: [],
    v: toQuantity(yParity),
    yParity: toQuantity(yParity),
    r: toQuantity(BigInt(r)),
    s: toQuantity(BigInt(s)),
    blockNumber: inclusion === null ? null : toQuantity(inclusion.blockNumber),
    blockHash: inclusion?.blockHash ?? null,
    transactionIndex: inclusion === null ? null : toQuantity(inclusion.index),
  };
}
