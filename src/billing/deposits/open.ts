import type { NewPayment } from '../../../machines/payment/context.ts';
import { paymentChargeKey } from '../../chains/evm/contracts/router.ts';
import { invalid } from '../../errors/fault.ts';
import type { Tenant } from '../../store/tenant.ts';
import type { BillingDeps } from '../deps.ts';

/** For so long a deposit is waited for (docs/rules.md, "Payments": `depositExpiresAt`). */
const OPEN_MS = 60 * 60_000;

/** Where the deposit of a new payment is to be sent to, how much, and until when. */
export interface OpenedDeposit {
  readonly asked: NonNullable<NewPayment['deposit']>;
  readonly since: number | null;
}

/** The deposit address of a payment, the same whenever it is asked for. Throws 400 where its chain is not enabled. */
export async function openDeposit(
  { catalog, chains, clock }: Pick<BillingDeps, 'catalog' | 'chains' | 'clock'>,
  { mode }: Tenant,
  { tokenKey, amount }: { readonly tokenKey: string; readonly amount: bigint },
  paymentId: string,
): Promise<OpenedDeposit> {
  const answer = catalog.play(tokenKey, mode);
  const chain = answer.ok ? chains.get(answer.play.chainId) : undefined;
  if (!answer.ok || !chain?.enabled) throw invalid(`tokenKey is on a chain that is not enabled: "${tokenKey}"`);
  const { address, since } = await chain.openDeposit(paymentChargeKey(paymentId));
  const expiresAt = new Date(clock().getTime() + OPEN_MS).toISOString();
  return { asked: { address, due: answer.play.rescale(amount).toString(), expiresAt }, since };
}
