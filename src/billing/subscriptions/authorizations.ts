import { randomBytes } from 'node:crypto';
import { addDays } from '../../../machines/rules/period.ts';
import type { SubscriptionContext } from '../../../machines/subscription/context.ts';
import { isMigrationOver } from '../../../machines/subscription/migration.ts';
import { actorTime } from '../../engine/projection.ts';
import { secretHash } from '../../model/secrets.ts';
import { subscriptionContextOf } from '../../model/subscription.ts';
import type { AuthorizationDoc, AuthorizationPurpose } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';

/** How long a link is valid (docs/rules.md, "Checkout API": Tokens in URLs). */
export const AUTHORIZATION_DAYS = 30;

/** How long the confirmation of a new payer counts. It is used up by the first one. */
export const NEW_PAYER_DAYS = 1;

const TOKEN_BYTES = 32;
/** 32 bytes in base64url. */
const TOKEN_FORM = /^[\w-]{43}$/;

/** The subscription or migration that a link of `authorizationUrl` authorizes. */
export interface Authorization {
  /** As stored now, in any status: the link of a canceled subscription still shows that it is canceled. */
  readonly subscription: ActorDoc;
  readonly purpose: AuthorizationPurpose;
  /** For a migration: it has taken effect, and there is nothing left to authorize. */
  readonly isDone: boolean;
  readonly expiresAt: Date;
  /** The permit that was submitted last; absent if there is none. */
  readonly permitId?: string;
  /** The wallet that signed last at this link; absent if there is none. */
  readonly signedBy?: string;
  /** The payer or the merchant has confirmed that another wallet may pay. */
  readonly takesNewPayer: boolean;
}

/** The page on which a payer authorizes (docs/rules.md, "Checkout API"). */
export function authorizationUrlOf(token: string, publicUrl: string): string {
  return `${publicUrl}/checkout/authorize/${token}`;
}

export interface AuthorizationsDeps {
  readonly store: Store;
  readonly clock: () => Date;
}

/**
 * Creates a token for the link of this purpose: 32 random bytes in base64url. It cannot be shown again, because only
 * its hash is stored. Once the subscription has a payer, no other wallet can sign at the link, except within
 * `newPayerDays`, which the payer or the merchant has confirmed.
 */
export async function issueAuthorization(
  { store, clock }: AuthorizationsDeps,
  { _id: subscriptionId, merchantId, mode }: ActorDoc,
  purpose: AuthorizationPurpose,
  newPayerDays = 0,
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const now = clock();
  const inDays = (days: number) => new Date(addDays(now.toISOString(), days));
  const expiresAt = inDays(AUTHORIZATION_DAYS);
  const doc: AuthorizationDoc = {
    _id: secretHash(token),
    merchantId,
    mode,
    subscriptionId,
    purpose,
    ...(newPayerDays > 0 ? { newPayerUntil: inDays(newPayerDays) } : {}),
    createdAt: now,
    expiresAt,
  };
  const [verdict] = await store.records.insert('authorizations', [doc]);
  if (!verdict?.inserted) throw new Error(`${subscriptionId}: its authorization link could not be stored`);
  return token;
}

/** null for an unknown or expired token, and for a migration that another one has replaced. */
export async function findAuthorization(
  { store, clock }: AuthorizationsDeps,
  token: string,
): Promise<Authorization | null> {
  if (!TOKEN_FORM.test(token)) return null;
  const [link] = await store.records.get('authorizations', [secretHash(token)]);
  const now = clock();
  if (!link || link.expiresAt <= now) return null;
  const subscription = await tenantStore(store, link).actor('subscription', link.subscriptionId);
  if (!subscription) return null;
  const { purpose, expiresAt, permitId, signedBy, newPayerUntil } = link;
  const state = stateOf(purpose, subscriptionContextOf(subscription), actorTime(now, subscription.clockOffsetMs));
  if (state === 'dead') return null;
  return {
    ...{ subscription, purpose, isDone: state === 'done', expiresAt },
    takesNewPayer: newPayerUntil !== undefined && newPayerUntil > now,
    ...(permitId ? { permitId } : {}),
    ...(signedBy ? { signedBy } : {}),
  };
}

/** `now` is a moment of the subscription's clock. */
function stateOf(purpose: AuthorizationPurpose, context: SubscriptionContext, now: string): 'open' | 'done' | 'dead' {
  if (purpose.kind === 'subscription') return 'open';
  const { migration, terms } = context;
  const { priceId, tokenKey, until } = purpose;
  if (migration === null) return terms.priceId === priceId && terms.tokenKey === tokenKey ? 'done' : 'dead';
  const isMeant =
    migration.terms.priceId === priceId && migration.terms.tokenKey === tokenKey && migration.expiresAt === until;
  return isMeant && !isMigrationOver(context, now) ? 'open' : 'dead';
}
