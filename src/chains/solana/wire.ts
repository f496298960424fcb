import { z } from 'zod';

/** What Solana's JSON-RPC gives, as far as it is used here. */
const slot = z.int().nonnegative();

/** An answer that says as of which slot it is. */
export function inContext<T>(value: z.ZodType<T>) {
  return z.object({ context: z.object({ slot }), value });
}

const accountSchema = z
  .object({
    lamports: z.number(),
    owner: z.string(),
    data: z.tuple([z.string(), z.literal('base64')]),
  })
  .nullable()
  .transform(
    (account) => account && { owner: account.owner, data: new Uint8Array(Buffer.from(account.data[0], 'base64')) },
  );
export type WireAccount = z.output<typeof accountSchema>;
export const accountsSchema = inContext(z.array(accountSchema));

export const balanceSchema = inContext(z.number().transform(BigInt));

export const latestBlockhashSchema = inContext(
  z.object({ blockhash: z.string(), lastValidBlockHeight: z.int().nonnegative() }),
);

export const epochInfoSchema = z.object({ absoluteSlot: slot, blockHeight: z.int().nonnegative() });

export const feesSchema = z.array(z.object({ prioritizationFee: z.number() }));

/** Why a transaction failed: a name, or an object of one name. */
export const transactionErrorSchema = z.union([z.string(), z.record(z.string(), z.unknown())]);
export type WireError = z.infer<typeof transactionErrorSchema>;

export const simulationSchema = inContext(
  z.object({
    err: transactionErrorSchema.nullable(),
    logs: z.array(z.string()).nullish(),
    unitsConsumed: z.number().nullish(),
  }),
);

export const statusesSchema = inContext(
  z.array(
    z
      .object({
        slot,
        err: transactionErrorSchema.nullable(),
        confirmations: z.number().nullable(),
        confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']).nullish(),
      })
      .nullable(),
  ),
);
export type WireStatus = NonNullable<z.infer<typeof statusesSchema>['value'][number]>;

export const signaturesSchema = z.array(
  z.object({ signature: z.string(), slot, err: transactionErrorSchema.nullable() }),
);

export const blockSchema = z.object({ blockhash: z.string() });

const tokenBalancesSchema = z
  .array(z.object({ accountIndex: z.int(), mint: z.string(), owner: z.string().nullish() }))
  .nullish();

export const transactionSchema = z
  .object({
    slot,
    transaction: z.tuple([z.string(), z.literal('base64')]),
    meta: z.object({
      err: transactionErrorSchema.nullable(),
      preTokenBalances: tokenBalancesSchema,
      postTokenBalances: tokenBalancesSchema,
    }),
  })
  .nullable();

export type WireTransaction = NonNullable<z.infer<typeof transactionSchema>>;
