import { z } from 'zod';
import type { RpcCall } from '../rpc.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { readTokenAccount, type TokenAccount } from './token-account.ts';
import { inContext } from './wire.ts';

/** A token account, with its address. */
export interface OwnedAccount extends TokenAccount {
  readonly address: string;
}

const schema = inContext(
  z.array(
    z.object({
      pubkey: z.string(),
      account: z.object({ owner: z.string(), data: z.tuple([z.string(), z.literal('base64')]) }),
    }),
  ),
).transform(({ context, value }) => ({
  slot: context.slot,
  accounts: value.flatMap(({ pubkey: address, account: { owner, data } }): OwnedAccount[] => {
    const token = readTokenAccount(owner, new Uint8Array(Buffer.from(data[0], 'base64')));
    return token === null ? [] : [{ address, ...token }];
  }),
}));

export type Owned = z.output<typeof schema>;

/**
 * Calls that read every token account of an owner: one for each token program. `readOwned` reads the result of each.
 */
export function ownedCalls(owner: string): RpcCall[] {
  return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((programId) => ownedCall(owner, { programId }));
}

/** The same for the accounts of one token. */
export function ownedOfMintCall(owner: string, mint: string): RpcCall {
  return ownedCall(owner, { mint });
}

export function readOwned(result: unknown): Owned {
  return schema.parse(result);
}

/** The account of each mint with the highest amount. */
export function fullestByMint(accounts: readonly OwnedAccount[]): Map<string, OwnedAccount> {
  const fullest = new Map<string, OwnedAccount>();
  for (const account of accounts) {
    if (account.amount > (fullest.get(account.mint)?.amount ?? -1n)) fullest.set(account.mint, account);
  }
  return fullest;
}

function ownedCall(owner: string, filter: { readonly mint: string } | { readonly programId: string }): RpcCall {
  return {
    method: 'getTokenAccountsByOwner',
    params: [owner, filter, { encoding: 'base64', commitment: 'confirmed' }],
  };
}
