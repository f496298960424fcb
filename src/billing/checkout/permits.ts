import { MaxUint256 } from 'ethers';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { PermitRefusal, Permits, PermitTerms, SignedPermit } from '../../chains/port.ts';
import { invalid } from '../../errors/fault.ts';
import { formatAmount } from '../../model/amounts.ts';
import type { PermitDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import type { BillingDeps } from '../deps.ts';
import type { PayerState } from './payer-state.ts';
import type { RequestedAllowance } from './requested-allowance.ts';
import type { TokenOnChain } from './token-on-chain.ts';

/** A permit as submitted by a page: base units of the playing token, Unix seconds, 0x-hex. */
export interface GivenPermit {
  readonly value: string;
  readonly deadline: string;
  readonly signature: string;
}

/** How long a permit can be submitted after the page asked for it, in seconds. */
const DEADLINE_S = 3_600n;

/** The data that a wallet signs instead of an approve. */
export interface PermitToSign {
  readonly domain: PermitTerms['domain'];
  readonly owner: string;
  readonly spender: string;
  readonly value: bigint;
  readonly nonce: bigint;
  readonly deadline: bigint;
}

/**
 * null: the token accepts no permits of this wallet, `checkPermit` would refuse it, or the chain does not answer
 * (`payer` null).
 */
export async function permitToSign(
  { log }: Pick<BillingDeps, 'log'>,
  { token, total, due }: RequestedAllowance,
  payer: PayerState | null,
): Promise<PermitToSign | null> {
  if (payer === null || payer.balance < due) return null;
  const { wallet } = payer;
  const { chain, play, operator: spender } = token;
  try {
    const terms = (await chain.permits?.terms(play.token, wallet)) ?? null;
    if (terms === null) return null;
    const { domain, nonce, now } = terms;
    const value = total > MaxUint256 ? MaxUint256 : total;
    return { domain, owner: wallet, spender, value, nonce, deadline: BigInt(now) + DEADLINE_S };
  } catch (error) {
    log.warn({ err: error, chainId: chain.chainId }, 'a chain does not answer; its checkouts offer no permit for now');
    return null;
  }
}

/** A permit that has passed its checks. */
export interface CheckedGiven {
  readonly id: string;
  /** Queues it for submission on its chain. Idempotent. */
  submit(): Promise<void>;
}

/**
 * Checks whether a permit can replace an approve: signed by this wallet for the merchant's operator, with time left,
 * and for at least the next charges. A permit that was accepted before is not checked again, because its nonce may be
 * used by now. Throws 400.
 */
export async function checkPermit(
  deps: Pick<BillingDeps, 'store'>,
  { merchantId, mode }: Tenant,
  allowance: RequestedAllowance,
  wallet: string,
  given: GivenPermit,
): Promise<CheckedGiven> {
  const { token } = allowance;
  const permits = token.chain.permits;
  if (permits === null) throw noPermits(token);
  const permit: SignedPermit = {
    merchantId,
    mode,
    consent: token.consent,
    token: token.play.token,
    wallet,
    value: uint256(given.value, 'value'),
    deadline: uint256(given.deadline, 'deadline'),
    signature: given.signature,
  };
  const id = permits.idOf(permit);
  const [known] = await deps.store.records.get('permits', [id]);
  if (known) return { id, submit: async () => {} };
  return { id, submit: await checkNew(permits, permit, allowance) };
}

async function checkNew(
  permits: Permits,
  permit: SignedPermit,
  allowance: RequestedAllowance,
): Promise<() => Promise<void>> {
  requireEnough(permit, allowance);
  const checked = await permits.check(permit);
  if (checked.kind === 'refused') throw refusalOf(checked.why, allowance.token);
  await requireBalance(permit, allowance);
  return async () => {
    await permits.submit(permit, checked);
  };
}

/** The stored permit; null if there is none. */
export async function permitOf(deps: Pick<BillingDeps, 'store'>, id: string | undefined): Promise<PermitDoc | null> {
  if (id === undefined) return null;
  const [permit] = await deps.store.records.get('permits', [id]);
  return permit ?? null;
}

function requireEnough({ value }: SignedPermit, { token, least }: RequestedAllowance): void {
  if (value >= least) return;
  const { decimals } = token.play;
  const needed = `${least} base units (${formatAmount(least, decimals)} ${token.requested.ticker})`;
  throw invalid(`permit.value must be at least ${needed}, which the next charges take; got ${value}`);
}

/** Throws 400 if the wallet could not pay the charge that follows, because the service pays the permit's gas. */
async function requireBalance({ wallet }: SignedPermit, { token, due }: RequestedAllowance): Promise<void> {
  const { chain, operator, play, requested } = token;
  const [state] = await chain.readAllowances([{ token: play.token, wallet, operator }]);
  if (!state) throw new Error(`chain ${chain.chainId} does not read ${play.token}`);
  const { balance } = state;
  if (balance >= due) return;
  const inTokens = (amount: bigint) => `${formatAmount(amount, play.decimals)} ${requested.ticker}`;
  throw invalid(`permit needs a wallet that can pay the charge: it has ${inTokens(balance)} of ${inTokens(due)}`);
}

function uint256(digits: string, field: string): bigint {
  const value = BigInt(digits);
  if (value > MaxUint256) throw invalid(`permit.${field} must be less than 2^256`);
  return value;
}

const BY_TRANSACTION = 'approve the operator with a transaction of the wallet';

function noPermits({ requested, playing }: TokenOnChain) {
  return invalid(`permit is not possible: ${requested.ticker} on ${playing.label} takes none; ${BY_TRANSACTION}`);
}

function refusalOf(why: PermitRefusal, token: TokenOnChain) {
  switch (why) {
    case 'no_permits':
      return noPermits(token);
    case 'contract_wallet':
      return invalid(`permit needs a wallet with its own key; with a contract wallet, ${BY_TRANSACTION}`);
    case 'too_late':
      return invalid('permit.deadline must be at least two minutes ahead, in Unix seconds');
    case 'not_signed':
      return invalid(
        'permit.signature must be by the wallet in address, for this value, deadline and operator and its nonce in the token; ask for a new permit to sign',
      );
    case 'not_taken':
      return invalid(`permit is refused by the contract of ${token.requested.ticker}; ${BY_TRANSACTION}`);
    default:
      return unknownCase(why, 'refusal');
  }
}
