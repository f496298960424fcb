import { addDays } from '../../../machines/rules/period.ts';
import { quantityOf } from '../../../machines/rules/price-model.ts';
import type { Terms } from '../../../machines/subscription/context.ts';
import { actorTime } from '../../engine/projection.ts';
import { invalid } from '../../errors/fault.ts';
import { subscriptionAttributes, subscriptionContextOf } from '../../model/subscription.ts';
import type { AcceptedToken, PricingOption } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { tenantStore } from '../../store/tenant.ts';
import { requireTaken } from '../actors/refusals.ts';
import { AUTHORIZATION_DAYS, issueAuthorization, NEW_PAYER_DAYS } from './authorizations.ts';
import type { SubscriptionsDeps } from './deps.ts';
import { acceptedBy, quantityIn, termsOf } from './opening.ts';
import { requireSubscription } from './subscriptions.ts';

const NEEDED = { name: 'migrate', needs: 'pending, active or past_due' } as const;

export interface MigrateSubscription {
  readonly priceId: string;
  /** Absent: the present token if the new option accepts it, else the only one that it accepts. */
  readonly tokenKey?: string | null | undefined;
  /** Absent: the present one, or the nearest that the new option has. */
  readonly quantity?: number | null | undefined;
  /** The merchant confirms that another wallet may sign. */
  readonly newPayer?: boolean | null | undefined;
}

/** A migration that waits for the payer. */
export interface OpenMigration {
  readonly id: string;
  readonly priceId: string;
  /** The token of the payer's link; only its hash is stored. */
  readonly authorizationToken: string;
}

/**
 * Records the intent to bill other terms of the same offer, which replaces any recorded before, and creates the payer's
 * link. Nothing else changes until the payer authorizes them (docs/rules.md, "Subscriptions": migrate). Throws 404 for
 * an unknown subscription and 400 for every conflict.
 */
export async function migrateSubscription(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  id: string,
  to: MigrateSubscription,
  by: string,
): Promise<OpenMigration> {
  const doc = await requireSubscription(deps, tenant, id);
  const { offerId } = subscriptionAttributes.parse(doc.attributes);
  const offer = await tenantStore(deps.store, tenant).record('offers', offerId);
  const present = subscriptionContextOf(doc).terms;
  requireNotMetered(present.model, 'present');
  const option = optionOf(offer?.pricing ?? [], to.priceId, present.priceId);
  requireNotMetered(option.model, 'new');
  const quantity = quantityIn(option, to.quantity ?? keptQuantity(option, present));
  const terms = termsOf(option, tokenOf(option, to.tokenKey ?? null, present.tokenKey), quantity);
  const expiresAt = addDays(actorTime(deps.clock(), doc.clockOffsetMs), AUTHORIZATION_DAYS);
  const event = { type: 'migration.requested', terms, expiresAt } as const;
  const result = await deps.engine.dispatch({ kind: 'subscription', id, event, by });
  if (result.kind === 'refused') throw invalid(`Subscription is ${result.doc.status}; migrate needs ${NEEDED.needs}`);
  const requested = requireTaken(result, NEEDED);
  await deps.engine.completed(id);
  // No wallet of one family can sign for a token of the other, so the merchant confirms a new payer by this request.
  const confirmedDays = to.newPayer === true ? NEW_PAYER_DAYS : 0;
  const newPayerDays = isOtherFamily(deps, present.tokenKey, terms.tokenKey) ? AUTHORIZATION_DAYS : confirmedDays;
  const purpose = { kind: 'migration', priceId: terms.priceId, tokenKey: terms.tokenKey, until: expiresAt } as const;
  const authorizationToken = await issueAuthorization(deps, requested, purpose, newPayerDays);
  return { id, priceId: terms.priceId, authorizationToken };
}

/** What was used under a metered price is charged by its own terms, so its payer ends it and subscribes anew. */
function requireNotMetered(model: { readonly kind: string } | undefined, which: 'present' | 'new'): void {
  if (model?.kind !== 'metered') return;
  throw invalid(
    `The ${which} price is metered, which migrate cannot change; cancel at the period's end and make a new subscription`,
  );
}

function isOtherFamily({ catalog }: SubscriptionsDeps, one: string, other: string): boolean {
  return catalog.tokenByKey(one)?.family !== catalog.tokenByKey(other)?.family;
}

function optionOf(pricing: readonly PricingOption[], priceId: string, present: string): PricingOption {
  const option = pricing.find((each) => each.id === priceId);
  if (!option) throw invalid("priceId is not a pricing option of the subscription's offer");
  if (priceId === present) throw invalid("priceId is the subscription's present pricing option; expected another one");
  if (option.billing.type !== 'recurring') {
    throw invalid('priceId is a one-time pricing option; expected a recurring one');
  }
  if (!option.active) throw invalid('priceId is a retired pricing option; expected an active one');
  return option;
}

/** The present quantity, or the nearest one that the option has; null: it has none, or there is none to keep. */
function keptQuantity({ model }: PricingOption, present: Terms): number | null {
  const quantity = quantityOf(present);
  if (model?.kind !== 'per_unit' || quantity === null) return null;
  return Math.min(Math.max(quantity, model.minQuantity), model.maxQuantity);
}

/** The named token; else the present one if the option accepts it, else the only one that it accepts. */
function tokenOf(option: PricingOption, tokenKey: string | null, present: string): AcceptedToken {
  const kept = tokenKey === null ? option.acceptedTokens.find((each) => each.tokenKey === present) : undefined;
  return kept ?? acceptedBy(option, tokenKey);
}
