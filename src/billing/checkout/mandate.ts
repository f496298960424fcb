import { capOf, windowCapOf } from '../../../machines/rules/price-model.ts';
import type { SubscriptionContext } from '../../../machines/subscription/context.ts';
import { mandateIdsOf } from '../../../machines/subscription/migration.ts';
import { chargeDueAt } from '../../../machines/subscription/next-charge.ts';
import type { MandateDraft } from '../../chains/mandates.ts';
import { realTime } from '../../engine/projection.ts';
import { invalid } from '../../errors/fault.ts';
import { subscriptionAttributes, subscriptionContextOf } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { isOpenCycleKept, type UpcomingCharge } from '../allowances/upcoming-charges.ts';
import { draftMandate } from '../mandates/draft.ts';
import type { CheckoutDeps } from './deps.ts';
import type { Purchase, PurchaseLimits } from './purchase.ts';
import { cyclesRequested } from './requested-allowance.ts';

/**
 * The limits of an existing subscription under its present terms, or under those of a migration. A scheduled cancel
 * does not lower the number of charges: after a resume nobody has to sign again.
 */
export function limitsOf(doc: ActorDoc, of: UpcomingCharge['of'], now: Date): PurchaseLimits {
  const context = subscriptionContextOf(doc);
  const terms = of === 'migration' ? (context.migration?.terms ?? context.terms) : context.terms;
  const { interval, maxCycles, destination } = terms;
  const before = context.cyclesCompleted + (of === 'migration' && isOpenCycleKept(context) ? 1 : 0);
  const charges = maxCycles === null ? null : cyclesRequested(terms, before);
  const startsAt = of === 'migration' ? newTermsFrom(context) : nextChargeAt(context);
  return {
    rhythm: { kind: 'recurring', interval, charges, startsAt: realTime(doc, startsAt) ?? now },
    perCharge: capOf(terms),
    per30Days: windowCapOf(terms),
    destination,
    splits: subscriptionAttributes.parse(doc.attributes).splits,
    mandateIds: mandateIdsOf(context),
  };
}

/** When the next charge falls due at the earliest, or an open one did; null: now. A pause may end before its end. */
function nextChargeAt(context: SubscriptionContext): string | null {
  if (context.pause) return context.currentPeriodEnd;
  return chargeDueAt(context) ?? context.trialEnd;
}

/** Before the first payment new terms apply at once, as others may; else from the boundary on. null: now. */
function newTermsFrom({ anchor, trialEnd, currentPeriodEnd, migration }: SubscriptionContext): string | null {
  if (anchor === null) return trialEnd;
  return migration?.when === 'now' ? null : currentPeriodEnd;
}

/**
 * The mandate that the wallet of a purchase is asked to sign. Throws 400 if the merchant has no payout wallet for the
 * token: the payer could not sign where the money goes.
 */
export async function mandateToSign(
  deps: CheckoutDeps,
  { tenant, token, wallet, limits }: Purchase,
  statement: string,
): Promise<MandateDraft> {
  const { requested, play, chain } = token;
  const { family, key: tokenKey, chainId } = requested;
  const [payouts, [merchant], before] = await Promise.all([
    deps.payoutsOf([tenant]),
    deps.store.records.get('merchants', [tenant.merchantId]),
    deps.store.records.get('mandates', limits.mandateIds),
  ]);
  const to = payouts.destination(tenant, { tokenKey, chainId, family, fallback: limits.destination });
  if (to === null)
    throw invalid(`The merchant has no payout wallet for ${requested.ticker} yet, so nobody can sign up`);
  const platform = deps.platformWallets[family];
  return draftMandate(
    {
      tenant,
      family,
      chainId: chain.chainId,
      router: chain.router,
      payer: wallet,
      token: play.token,
      perCharge: play.rescale(limits.perCharge),
      per30Days: limits.per30Days === null ? null : play.rescale(limits.per30Days),
      rhythm: limits.rhythm,
      platform: platform === null ? null : { wallet: platform, feeBps: merchant?.feeBps ?? 0 },
      payees: [to, ...limits.splits.map(({ address }) => address)],
      statement,
      before,
    },
    deps.clock(),
  );
}
