import type { NewPayment } from '../../../machines/payment/context.ts';
import { paymentChargeKey } from '../../chains/evm/contracts/router.ts';
import { invalid } from '../../errors/fault.ts';
import type { Tenant } from '../../store/documents.ts';
import type { BillingDeps } from '../deps.ts';

/** How long a payment waits for its deposit (docs/rules.md, "Payments": `depositExpiresAt`). */
const OPEN_MS = 60 * 60_000;

/** The address, amount and expiry of a new payment's deposit. */
export interface OpenedDeposit {
  readonly terms: NonNullable<NewPayment['deposit']>;
  readonly since: number | null;
  /** As `DepositAddress.router`. */
  readonly router: string | null;
}

/** The deposit address of a payment; the same at every call. Throws 400 if its chain is not enabled. */
export async function openDeposit(
  { catalog, chains, clock }: Pick<BillingDeps, 'catalog' | 'chains' | 'clock'>,
  { mode }: Tenant,
  { tokenKey, amount }: { readonly tokenKey: string; readonly amount: bigint },
  { paymentId, chargeSecret }: { readonly paymentId: string; readonly chargeSecret?: string | undefined },
): Promise<OpenedDeposit> {
  const answer = catalog.play(tokenKey, mode);
  const chain = answer.ok ? chains.get(answer.play.chainId) : undefined;
  if (!answer.ok || !chain?.enabled) throw invalid(`tokenKey is on a chain that is not enabled: "${tokenKey}"`);
  const { address, since, router } = await chain.openDeposit(paymentChargeKey(paymentId, chargeSecret));
  const expiresAt = new Date(clock().getTime() + OPEN_MS).toISOString();
  return { terms: { address, due: answer.play.rescale(amount).toString(), expiresAt }, since, router };
}
