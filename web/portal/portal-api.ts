import type {
  PortalChallenge,
  PortalDetail,
  PortalLink,
  PortalPayments,
  PortalSession,
  PortalStanding,
  PortalSubscriptions,
} from '../../src/portal/wire.ts';
import { callApi } from '../ui/api.ts';

/** All requests of the page: the portal's own API, and nothing else (docs/rules.md, "Portal"). */
const API = '/portal/api';

/** A page of another origin cannot send it. */
const OWN = { 'X-Portal-Request': '1' } as const;

export function getStanding(): Promise<PortalStanding> {
  return callApi(`${API}/session`);
}

export function challengeWallet(address: string, chainId: number | null): Promise<PortalChallenge> {
  return callApi(`${API}/challenges`, { method: 'POST', headers: OWN, body: { address, chainId } });
}

export async function signIn(message: string, signature: string): Promise<PortalSession> {
  const body = { message, signature };
  return (await callApi<{ session: PortalSession }>(`${API}/session`, { method: 'POST', headers: OWN, body })).session;
}

/** Opens the session of a merchant's link. */
export async function openLink(token: string): Promise<PortalSession> {
  const request = { method: 'POST', headers: OWN, body: { token } } as const;
  return (await callApi<{ session: PortalSession }>(`${API}/session/link`, request)).session;
}

export async function signOut(): Promise<void> {
  await callApi(`${API}/session`, { method: 'DELETE', headers: OWN });
}

export function listSubscriptions(startingAfter: string | null): Promise<PortalSubscriptions> {
  return callApi(`${API}/subscriptions${queryOf({ startingAfter })}`);
}

export function getSubscription(id: string): Promise<PortalDetail> {
  return callApi(subscriptionPath(id));
}

export function endSubscription(id: string, atPeriodEnd: boolean): Promise<PortalDetail> {
  return callApi(`${subscriptionPath(id)}/cancel`, { method: 'POST', headers: OWN, body: { atPeriodEnd } });
}

export function keepSubscription(id: string): Promise<PortalDetail> {
  return callApi(`${subscriptionPath(id)}/resume`, { method: 'POST', headers: OWN, body: {} });
}

/** The address of a page on which a wallet authorizes the subscription again. */
export async function authorizationOf(id: string): Promise<string> {
  const request = { method: 'POST', headers: OWN, body: {} } as const;
  return (await callApi<PortalLink>(`${subscriptionPath(id)}/authorization`, request)).url;
}

/** Solana: the unsigned transaction, base64, that takes the approval back. */
export async function draftRevocation(id: string, address: string): Promise<string> {
  const request = { method: 'POST', headers: OWN, body: { address } } as const;
  return (await callApi<{ transaction: string }>(`${subscriptionPath(id)}/revocation`, request)).transaction;
}

/** The payments of a subscription, or with null the one-time ones. */
export function listPayments(subscriptionId: string | null, startingAfter: string | null): Promise<PortalPayments> {
  const source = subscriptionId === null ? 'one_time' : null;
  return callApi(`${API}/payments${queryOf({ subscriptionId, source, startingAfter })}`);
}

/** Of the document, from this page. */
export function proofHref(paymentId: string): string {
  return `portal/api/payments/${encodeURIComponent(paymentId)}/proof`;
}

function subscriptionPath(id: string): `/${string}` {
  return `${API}/subscriptions/${encodeURIComponent(id)}`;
}

function queryOf(values: { readonly [name: string]: string | null }): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
