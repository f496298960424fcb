import { z } from 'zod';
import { listOf } from '../list-of.ts';
import { larger, smaller } from './fee-limits.ts';

/** The parts of JSON-RPC answers that are used here. Quantities become bigint, or number if they are small. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/i, 'expected a hexadecimal quantity')
  .transform(BigInt);

export const smallQuantity = quantity
  .refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER), 'expected a quantity below 2^53')
  .transform(Number);

/**
 * The least and the most gas of a call that makes no charge: a permit takes 90,000, an announcement 60,000, and on
 * Arbitrum the bytes of a call cost gas too. With less, a wrong estimate would hold up the sender's nonce; with more
 * than its balance pays for, its charges would wait.
 */
export const CALL_GAS = { least: 130_000n, most: 2_000_000n } as const;

/** The node's estimate for such a call, within `CALL_GAS`. */
export const gasEstimate = quantity.transform((gas) => smaller(larger(gas, CALL_GAS.least), CALL_GAS.most));

export const hexBytes = z.string().regex(/^0x(?:[0-9a-f]{2})*$/i, 'expected bytes in hex');

export const blockSchema = z.object({
  number: smallQuantity,
  hash: z.string(),
  timestamp: smallQuantity,
  gasLimit: quantity,
  baseFeePerGas: quantity.nullish(),
});
export type WireBlock = z.infer<typeof blockSchema>;

const logSchema = z.object({
  address: z.string(),
  topics: z.array(z.string()),
  data: z.string(),
  blockNumber: smallQuantity,
  blockHash: z.string(),
  transactionHash: z.string(),
  logIndex: smallQuantity,
});
export type WireLog = z.infer<typeof logSchema>;

const unminedSchema = z.union([z.object({ blockNumber: z.null() }), z.object({ removed: z.literal(true) })]);

/** The answer of `eth_getLogs`. Logs that are not in a block yet, or no longer, are left out. Undefined: unreadable. */
export const logsSchema = z
  .array(z.unknown())
  .transform((logs) => logs.filter((log) => !unminedSchema.safeParse(log).success))
  .pipe(listOf(logSchema));

export const receiptSchema = z.object({
  transactionHash: z.string(),
  blockNumber: smallQuantity,
  blockHash: z.string(),
  status: smallQuantity,
  logs: listOf(z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() })),
});
export type WireReceipt = z.infer<typeof receiptSchema>;

/** A number in the form of JSON-RPC. */
export function toQuantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

/** A receipt with the fields that show where in its block a share was paid. */
export const minedReceiptSchema = receiptSchema.extend({ logs: z.array(logSchema) });
export type MinedReceipt = z.infer<typeof minedReceiptSchema>;
