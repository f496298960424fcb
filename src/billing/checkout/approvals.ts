import { conflict, invalid } from '../../errors/fault.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { BillingDeps } from '../deps.ts';
import { walletAt } from './challenges.ts';
import { requireTokenOnChain } from './token-on-chain.ts';

/** What a page asks for a wallet that signs nothing but whole transactions. */
export interface ApprovalToDraft {
  readonly address: string;
  /** Base units of the playing token; "0" takes the approval back. */
  readonly value: string;
}

/** An allowance of Solana is 64 bits wide. */
const MOST = 2n ** 64n - 1n;

/**
 * The unsigned transaction, base64, by which a wallet approves this merchant's delegate, or takes that back. Throws 400 for a
 * wrong address or value, 409 if the chain would refuse it, and on a chain family whose wallets make theirs themselves.
 */
export async function draftApproval(
  deps: BillingDeps,
  tenant: Tenant,
  tokenKey: string,
  { address, value }: ApprovalToDraft,
): Promise<string> {
  const place = requireTokenOnChain(deps, tenant, tokenKey);
  const { chain, play, operator } = place;
  if (chain.approvals === null)
    throw conflict('Wallets of this chain make the approval themselves; a Solana token is needed');
  if (BigInt(value) > MOST) throw invalid('value must be at most 2^64-1 base units');
  const wallet = walletAt(place, address);
  const drafted = await chain.approvals.draft({ token: play.token, wallet, operator, value: BigInt(value) });
  if (drafted.kind === 'refused') throw conflict(drafted.why);
  return drafted.transaction;
}
