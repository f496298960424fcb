import type { Authorization, Challenge, FoundSession, Offer, Request, Session } from '../../src/checkout/wire.ts';
import { callApi, serviceUrl } from '../ui/api.ts';

/** All requests of the pages: the checkout API, and nothing else (docs/rules.md, "Checkout API"). */
const API = '/checkout/api';

/** A permit that a wallet has signed. */
export interface SignedPermit {
  readonly value: string;
  readonly deadline: string;
  readonly signature: string;
}

/** A text that a wallet has signed. */
export interface Signed {
  readonly address: string;
  readonly message: string;
  readonly signature: string;
}

/** The choice of the payer, and the data about the payer. */
export interface Opening {
  readonly priceId: string;
  readonly tokenKey: string;
  readonly sessionKey: string;
  readonly collected: { readonly [key: string]: string };
}

export function getOffer(offerId: string): Promise<Offer> {
  return callApi(`${API}/offers/${encodeURIComponent(offerId)}`);
}

export function challengeOffer(
  offerId: string,
  body: { readonly address: string; readonly priceId: string; readonly tokenKey: string },
): Promise<Challenge> {
  return callApi(`${API}/offers/${encodeURIComponent(offerId)}/challenges`, { method: 'POST', body });
}

export function requestOffer(
  offerId: string,
  { address, priceId, tokenKey }: { readonly address: string; readonly priceId: string; readonly tokenKey: string },
): Promise<Request> {
  const query = new URLSearchParams({ priceId, tokenKey });
  return callApi(`${API}/offers/${encodeURIComponent(offerId)}/wallets/${encodeURIComponent(address)}?${query}`);
}

/** Repeated calls with one key return the same session. */
export function openSession(
  offerId: string,
  kind: 'subscriptions' | 'payments',
  body: Opening & Signed & { readonly permit?: SignedPermit },
): Promise<Session> {
  return callApi(`${API}/offers/${encodeURIComponent(offerId)}/${kind}`, { method: 'POST', body });
}

/** A payment by anybody who sends the amount to the address in the answer. */
export function openTransfer(offerId: string, opening: Opening & { readonly refundWallet?: string }): Promise<Session> {
  const body = { ...opening, paymentMethod: 'wallet_transfer' };
  return callApi(`${API}/offers/${encodeURIComponent(offerId)}/payments`, { method: 'POST', body });
}

/** Names or corrects the receiver of what a payment by transfer does not use. */
export function nameRefundWallet(sessionKey: string, refundWallet: string): Promise<Session> {
  const path = `${API}/sessions/${encodeURIComponent(sessionKey)}/refund-wallet` as const;
  return callApi(path, { method: 'POST', body: { refundWallet } });
}

/** The session of a key that another browser may have used, or nobody yet: null. */
export async function findSession(sessionKey: string): Promise<Session | null> {
  return (await callApi<FoundSession>(`${API}/sessions/${encodeURIComponent(sessionKey)}/found`)).session;
}

export function getSession(sessionKey: string): Promise<Session> {
  return callApi(`${API}/sessions/${encodeURIComponent(sessionKey)}`);
}

/** The address of the proof that the session's payment was charged. */
export function proofUrlOf(sessionKey: string): string {
  return serviceUrl(`${API}/sessions/${encodeURIComponent(sessionKey)}/proof`);
}

/** Solana: the transaction in which this wallet approves `value` base units; "0" revokes the approval. */
export async function draftApproval(
  of: { readonly sessionKey: string } | { readonly token: string },
  body: { readonly address: string; readonly value: string },
): Promise<string> {
  const path =
    'token' in of
      ? (`${API}/authorizations/${encodeURIComponent(of.token)}/approvals` as const)
      : (`${API}/sessions/${encodeURIComponent(of.sessionKey)}/approvals` as const);
  return (await callApi<{ readonly transaction: string }>(path, { method: 'POST', body })).transaction;
}

export function getAuthorization(token: string): Promise<Authorization> {
  return callApi(`${API}/authorizations/${encodeURIComponent(token)}`);
}

export function challengeAuthorization(token: string, address: string): Promise<Challenge> {
  return callApi(`${API}/authorizations/${encodeURIComponent(token)}/challenges`, {
    method: 'POST',
    body: { address },
  });
}

export function requestAuthorization(token: string, address: string): Promise<Request> {
  return callApi(`${API}/authorizations/${encodeURIComponent(token)}/wallets/${encodeURIComponent(address)}`);
}

export function authorize(token: string, body: Signed & { readonly permit?: SignedPermit }): Promise<Authorization> {
  return callApi(`${API}/authorizations/${encodeURIComponent(token)}`, { method: 'POST', body });
}
