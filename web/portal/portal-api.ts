import type {
  PortalChallenge,
  PortalDetail,
  PortalLink,
  PortalPayments,
  PortalSession,
  PortalSessionState,
  PortalSubscriptions,
} from '../../src/portal/wire.ts';
import { ownApi, queryOf } from '../ui/own-api.ts';

/** All requests of the page: the portal's own API, and nothing else (docs/rules.md, "Portal"). */
const { get, post, remove } = ownApi('portal');

export function getSessionState(): Promise<PortalSessionState> {
  return get('/session');
}

export function challengeWallet(address: string, chainId: number | null): Promise<PortalChallenge> {
  return post('/challenges', { address, chainId });
}

export async function signIn(message: string, signature: string): Promise<PortalSession> {
  return (await post<{ session: PortalSession }>('/session', { message, signature })).session;
}

/** Opens the session of a merchant's link. */
export async function openLink(token: string): Promise<PortalSession> {
  return (await post<{ session: PortalSession }>('/session/link', { token })).session;
}

export async function signOut(): Promise<void> {
  await remove('/session');
}

export function listSubscriptions(startingAfter: string | null): Promise<PortalSubscriptions> {
  return get(`/subscriptions${queryOf({ startingAfter })}`);
}

export function getSubscription(id: string): Promise<PortalDetail> {
  return get(subscriptionPath(id));
}

export function endSubscription(id: string, atPeriodEnd: boolean): Promise<PortalDetail> {
  return post(`${subscriptionPath(id)}/cancel`, { atPeriodEnd });
}

export function keepSubscription(id: string): Promise<PortalDetail> {
  return post(`${subscriptionPath(id)}/resume`);
}

/** The address of a page on which a wallet authorizes the subscription again. */
export async function authorizationOf(id: string): Promise<string> {
  return (await post<PortalLink>(`${subscriptionPath(id)}/authorization`)).url;
}

/** Solana: the unsigned transaction, base64, that takes the approval back. */
export async function draftRevocation(id: string, address: string): Promise<string> {
  return (await post<{ transaction: string }>(`${subscriptionPath(id)}/revocation`, { address })).transaction;
}

/** The payments of a subscription, or with null the one-time ones. */
export function listPayments(subscriptionId: string | null, startingAfter: string | null): Promise<PortalPayments> {
  const source = subscriptionId === null ? 'one_time' : null;
  return get(`/payments${queryOf({ subscriptionId, source, startingAfter })}`);
}

/** Of the document, from this page. */
export function proofHref(paymentId: string): string {
  return `portal/api/payments/${encodeURIComponent(paymentId)}/proof`;
}

function subscriptionPath(id: string): `/${string}` {
  return `/subscriptions/${encodeURIComponent(id)}`;
}
