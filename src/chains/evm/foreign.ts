import { Signature, Transaction } from 'ethers';
import { z } from 'zod';
import type { SignedVersion } from '../../store/collections.ts';
import { getAddress } from './address.ts';
import { hexBytes, quantity, smallQuantity } from './wire.ts';

/** A transaction that is on the chain and may be missing in the ledger. */
export interface Foreign {
  readonly hash: string;
  readonly sender: string;
  readonly nonce: number;
  /** The version for the ledger. Its bytes are empty if they cannot be rebuilt; then it is not broadcast again. */
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

/** Reads the answer of `eth_getTransactionByHash`. Throws if it is not a transaction. */
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

/** Rebuilds the signed bytes. Empty if their hash would be another one. */
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
