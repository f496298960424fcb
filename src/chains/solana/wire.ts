import { z } from 'zod';
import { listOf } from '../list-of.ts';
import type { RpcCall } from '../rpc.ts';
import { fromBase58 } from './keys.ts';

/** The parts of Solana's JSON-RPC that are used here. */
const slot = z.int().nonnegative();
/** Accounts can have more than 2^53. A fraction is an unknown form: `BigInt` would throw for the whole answer. */
const lamports = z.number().nonnegative().refine(Number.isInteger, 'expected whole lamports').transform(BigInt);

/** An answer with the slot for which it holds. */
export function inContext<T>(value: z.ZodType<T>) {
  return z.object({ context: z.object({ slot }), value });
}

const accountSchema = z
  .object({
    lamports,
    owner: z.string(),
    data: z.tuple([z.string(), z.literal('base64')]),
  })
  .nullable()
  .transform(
    (account) =>
      account && {
        lamports: account.lamports,
        owner: account.owner,
        data: new Uint8Array(Buffer.from(account.data[0], 'base64')),
      },
  );
export type WireAccount = z.output<typeof accountSchema>;
export const accountsSchema = inContext(listOf(accountSchema));

export const balanceSchema = inContext(lamports);

/** How many blocks after its own a blockhash can be used. */
export const BLOCKHASH_BLOCKS = 150;

export const latestBlockhashSchema = inContext(
  z.object({ blockhash: z.string(), lastValidBlockHeight: z.int().nonnegative() }),
);

export const epochInfoSchema = z.object({ absoluteSlot: slot, blockHeight: z.int().nonnegative() });

export const feesSchema = listOf(z.object({ prioritizationFee: z.number().nonnegative() }));

/** Why a transaction failed: a name, or an object with one name. */
const transactionErrorSchema = z.union([z.string(), z.record(z.string(), z.unknown())]);
export type WireError = z.infer<typeof transactionErrorSchema>;

export const simulationSchema = inContext(
  z.object({
    err: transactionErrorSchema.nullable(),
    logs: z.array(z.string()).nullish(),
    unitsConsumed: z.int().nonnegative().nullish().catch(null),
  }),
);

export const statusesSchema = inContext(
  listOf(
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

export const signaturesSchema = listOf(
  z.object({ signature: z.string(), slot, err: transactionErrorSchema.nullable() }),
);

export const blockSchema = z.object({ blockhash: z.string() });

/** Nodes refuse to show later versions than this one. Others choose their versions, and 255 is the highest. */
const ANY_VERSION = { commitment: 'confirmed', maxSupportedTransactionVersion: 255 } as const;

/** The options to read transactions: as JSON, which has the same fields for every version. */
export const READ_TRANSACTION = { encoding: 'json', ...ANY_VERSION } as const;

/** `transactionSchema` reads the answer. */
export function transactionCall(signature: string): RpcCall {
  return { method: 'getTransaction', params: [signature, READ_TRANSACTION] };
}

/** The options to read a block if only its hash is wanted. */
export const READ_BLOCKHASH = { transactionDetails: 'none', rewards: false, ...ANY_VERSION } as const;

const tokenBalance = z.object({
  accountIndex: z.int(),
  mint: z.string(),
  owner: z.string().nullish(),
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d+$/) }),
});
export type TokenBalance = z.infer<typeof tokenBalance>;

/** The answer of `getTransaction` with `READ_TRANSACTION`. */
export const transactionSchema = z
  .object({
    slot,
    /** Unix seconds. */
    blockTime: z.int().nullish(),
    transaction: z.object({
      message: z.object({
        header: z.object({ numRequiredSignatures: z.int().nonnegative() }),
        accountKeys: z.array(z.string()),
        instructions: z.array(z.object({ programIdIndex: z.int(), accounts: z.array(z.int()), data: z.string() })),
      }),
    }),
    meta: z.object({
      err: transactionErrorSchema.nullable(),
      preTokenBalances: z.array(tokenBalance).nullish(),
      postTokenBalances: z.array(tokenBalance).nullish(),
      loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
    }),
  })
  .nullable();

export type WireTransaction = NonNullable<z.infer<typeof transactionSchema>>;

/** One instruction of a transaction, its accounts by address. */
export interface WireInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/** The addresses of all accounts of a transaction, in the order of their numbers; those of lookup tables come last. */
export function addressesOf({ transaction: { message }, meta: { loadedAddresses } }: WireTransaction): string[] {
  return [...message.accountKeys, ...(loadedAddresses?.writable ?? []), ...(loadedAddresses?.readonly ?? [])];
}

/** The signers; the first pays the fee. */
export function signersOf({ transaction: { message } }: WireTransaction): string[] {
  return message.accountKeys.slice(0, message.header.numRequiredSignatures);
}

/** Its instructions, without those that programs called. */
export function instructionsOf(found: WireTransaction): WireInstruction[] {
  const addresses = addressesOf(found);
  return found.transaction.message.instructions.map(({ programIdIndex, accounts, data }) => ({
    program: addresses[programIdIndex] ?? '',
    accounts: accounts.map((at) => addresses[at] ?? ''),
    data: fromBase58(data) ?? new Uint8Array(),
  }));
}

/** The owner of each token account in it, by address, as far as the node shows it. */
export function ownersOf(found: WireTransaction): Map<string, string> {
  const addresses = addressesOf(found);
  const { preTokenBalances, postTokenBalances } = found.meta;
  return new Map(
    [...(preTokenBalances ?? []), ...(postTokenBalances ?? [])].flatMap(({ accountIndex, owner }) => {
      const address = addresses[accountIndex];
      return address && owner ? [[address, owner] as const] : [];
    }),
  );
}
