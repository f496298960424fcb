import type { Consent } from '../../chains/consent.ts';
import { conflict, invalid } from '../../errors/fault.ts';
import type { Tenant } from '../../store/documents.ts';
import type { BillingDeps } from '../deps.ts';
import { walletAt } from './purchase.ts';
import { requireTokenOnChain } from './token-on-chain.ts';

/** An approval for a wallet that signs only whole transactions. */
export interface ApprovalToDraft {
  readonly address: string;
  /** Base units of the playing token; "0" revokes the approval. */
  readonly value: string;
}

/** The token, and the consent for which its operator is approved; absent: the mandate is still to be signed. */
export interface Approved {
  readonly tokenKey: string;
  readonly consent?: Consent;
}

/** The largest allowance on Solana: 64 bits. */
const MOST = 2n ** 64n - 1n;

/**
 * The unsigned transaction, base64, by which a wallet approves this merchant's delegate or revokes that. Throws 400 for
 * a wrong address or value, and 409 if the chain would refuse it or if wallets of its family create the approval
 * themselves.
 */
export async function draftApproval(
  deps: BillingDeps,
  tenant: Tenant,
  { tokenKey, consent }: Approved,
  { address, value }: ApprovalToDraft,
): Promise<string> {
  const token = requireTokenOnChain(deps, tenant, tokenKey, consent);
  const { chain, play, operator } = token;
  if (chain.approvals === null)
    throw conflict('The service drafts approvals of Solana tokens only; other wallets make the approval themselves');
  if (BigInt(value) > MOST) throw invalid('value must be at most 2^64-1 base units');
  const wallet = walletAt(token, address);
  const drafted = await chain.approvals.draft({ token: play.token, wallet, operator, value: BigInt(value) });
  if (drafted.kind === 'refused') throw conflict(drafted.why);
  return drafted.transaction;
}
