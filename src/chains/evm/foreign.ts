import { getAddress, Signature, Transaction } from 'ethers';
import { z } from 'zod';
import type { SignedVersion } from '../../store/collections.ts';
import { hexBytes, quantity, smallQuantity } from './wire.ts';

/** A transaction that the chain has and the own ledger may not have. */
export interface Foreign {
  readonly hash: string;
  readonly sender: string;
  readonly nonce: number;
  /** As the ledger keeps it; its bytes are empty where they cannot be rebuilt, and are then not broadcast again. */
  version(at: Date): SignedVersion;
}

const schema = z.object({
  hash: z.string(),
  from: z.string(),
  to: z.string(),
  nonce: smallQuantity,
  gas: quantity,
  input: hexBytes,
  value: quantity,
  chainId: quantity.nullish(),
  type: smallQuantity.default(0),
  maxFeePerGas: quantity.nullish(),
  maxPriorityFeePerGas: quantity.nullish(),
  accessList: z.array(z.object({ address: z.string(), storageKeys: z.array(z.string()) })).nullish(),
  r: z.string(),
  s: z.string(),
  v: smallQuantity,
});

type Wire = z.infer<typeof schema>;

/** Reads the answer of `eth_getTransactionByHash`. Throws when it is none. */
export function readForeign(result: unknown): Foreign {
  const wire = schema.parse(result);
  const raw = rebuild(wire);
  return {
    hash: wire.hash,
    sender: getAddress(wire.from),
    nonce: wire.nonce,
    version: (at) => ({
      hash: wire.hash,
      raw,
      maxFeePerGas: String(wire.maxFeePerGas ?? 0n),
      maxPriorityFeePerGas: String(wire.maxPriorityFeePerGas ?? 0n),
      at,
    }),
  };
}

/** The bytes, if they can be put together again so that they have the same hash. */
function rebuild(wire: Wire): string {
  if (wire.type !== 2) return '';
  const { to, nonce, gas, input, value, r, s, v } = wire;
  const transaction = Transaction.from({
    type: 2,
    chainId: wire.chainId ?? 0n,
    to,
    nonce,
    gasLimit: gas,
    data: input,
    value,
    maxFeePerGas: wire.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: wire.maxPriorityFeePerGas ?? 0n,
    accessList: wire.accessList ?? [],
    signature: Signature.from({ r, s, v }),
  });
  return transaction.hash === wire.hash ? transaction.serialized : '';
}
