import { addDays } from '../../../machines/rules/period.ts';
import type { Terms } from '../../../machines/subscription/context.ts';
import { actorTime } from '../../engine/projection.ts';
import { type Fault, invalid } from '../../errors/fault.ts';
import { isLive, subscriptionAttributes, subscriptionContextOf } from '../../model/subscription.ts';
import type { AcceptedToken, PricingOption } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { tenantStore } from '../../store/tenant.ts';
import { requireTaken } from '../actors/refusals.ts';
import { AUTHORIZATION_DAYS, issueAuthorization, NEW_PAYER_DAYS } from './authorizations.ts';
import type { SubscriptionsDeps } from './deps.ts';
import { acceptedBy, keptQuantity, quantityIn, termsOf } from './opening.ts';
import {
  type ChangeQuote,
  type PlanChange,
  quoteOf,
  quoteOfMigration,
  whyNoChange,
  worthOfPeriod,
} from './plan-changes.ts';
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
  /** Absent: at the end of the period. */
  readonly when?: 'now' | 'period_end' | null | undefined;
  /** Whether a change now credits unused time; absent: it does not. */
  readonly proration?: 'none' | 'credit' | null | undefined;
}

/** A migration that waits for the payer. */
export interface OpenMigration {
  readonly id: string;
  readonly priceId: string;
  /** The token of the payer's link; only its hash is stored. */
  readonly authorizationToken: string;
  readonly tokenKey: string;
  /** null: nothing is paid yet. */
  readonly quote: ChangeQuote | null;
}

/**
 * Records the intent to bill other terms of the same offer, which replaces any recorded before, and creates the payer's
 * link. Nothing else changes until the payer authorizes them (docs/rules.md, "Subscriptions": migrate). Throws 404 for
 * an unknown subscription, and for every conflict the fault that `refused` makes.
 */
export async function migrateSubscription(
  deps: SubscriptionsDeps,
  tenant: Tenant,
  id: string,
  to: MigrateSubscription,
  by: string,
  refused: (message: string) => Fault = invalid,
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
  const change = await requireChange(deps, doc, changeOf(terms, to, present), refused);
  const event = { type: 'migration.requested', ...change, expiresAt } as const;
  const result = await deps.engine.dispatch({ kind: 'subscription', id, event, by });
  if (result.kind === 'refused') throw refused(whyRefused(result.doc));
  const requested = requireTaken(result, NEEDED);
  await deps.engine.completed(id);
  // No wallet of one family can sign for a token of the other, so the merchant confirms a new payer by this request.
  const confirmedDays = to.newPayer === true ? NEW_PAYER_DAYS : 0;
  const newPayerDays = isOtherFamily(deps, present.tokenKey, terms.tokenKey) ? AUTHORIZATION_DAYS : confirmedDays;
  const purpose = { kind: 'migration', priceId: terms.priceId, tokenKey: terms.tokenKey, until: expiresAt } as const;
  const authorizationToken = await issueAuthorization(deps, requested, purpose, newPayerDays);
  const quote = await quoteOfMigration(deps.store, requested, deps.clock());
  return { id, priceId: terms.priceId, authorizationToken, tokenKey: terms.tokenKey, quote };
}

/** A metered price charges its use by its own terms, so the payer ends it and subscribes anew. */
function requireNotMetered(model: { readonly kind: string } | undefined, which: 'present' | 'new'): void {
  if (model?.kind !== 'metered') return;
  throw invalid(
    `The ${which} price is metered, and migrate takes no metered price; cancel at the period's end, which charges the last use, and make a new subscription`,
  );
}

function whyRefused(doc: ActorDoc): string {
  const whyNot = isLive(doc) ? whyNoChange(subscriptionContextOf(doc)) : null;
  return whyNot ?? `Subscription is ${doc.status}; migrate needs ${NEEDED.needs}`;
}

function changeOf(terms: Terms, { when, proration }: MigrateSubscription, present: Terms): PlanChange {
  if (proration === 'credit' && when !== 'now') throw invalid('proration credit needs when to be now');
  if (proration === 'credit' && terms.tokenKey !== present.tokenKey) {
    throw invalid(`proration credit needs the present token, ${present.tokenKey}: the credit is an amount of it`);
  }
  return { terms, ...(when === 'now' ? { when } : {}), ...(proration === 'credit' ? { proration } : {}) };
}

/** Before the first payment, every change is at once. Throws what `refused` makes where one in a period cannot be. */
async function requireChange(
  { store, clock }: SubscriptionsDeps,
  doc: ActorDoc,
  change: PlanChange,
  refused: (message: string) => Fault,
): Promise<PlanChange> {
  const context = subscriptionContextOf(doc);
  if (change.when === undefined || !isLive(doc)) return change;
  if (context.anchor === null) return { terms: change.terms };
  const whyNot = whyNoChange(context);
  if (whyNot !== null) throw refused(whyNot);
  if (change.proration === undefined) return change;
  const now = actorTime(clock(), doc.clockOffsetMs);
  if (quoteOf(context, change, await worthOfPeriod(store, doc), now).at === null) return change;
  throw refused('The credit for unused time would be the whole new charge; migrate at the end of the period instead');
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

/** The named token; else the present one if the option accepts it, else the only one that it accepts. */
function tokenOf(option: PricingOption, tokenKey: string | null, present: string): AcceptedToken {
  const kept = tokenKey === null ? option.acceptedTokens.find((each) => each.tokenKey === present) : undefined;
  return kept ?? acceptedBy(option, tokenKey);
}
