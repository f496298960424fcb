import type { Discount, FoundSession, Request, Session } from '../../src/checkout/wire.ts';
import { callApi } from '../ui/api.ts';

/** A path of the checkout API: all requests of the pages, and nothing else (docs/rules.md, "Checkout API"). */
type Path = `/checkout/api/${string}`;

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

export function offerPath(offerId: string): Path {
  return `/checkout/api/offers/${encodeURIComponent(offerId)}`;
}

export function sessionPath(sessionKey: string): Path {
  return `/checkout/api/sessions/${encodeURIComponent(sessionKey)}`;
}

export function linkPath(token: string): Path {
  return `/checkout/api/authorizations/${encodeURIComponent(token)}`;
}

export function post<Answer>(path: Path, body: object): Promise<Answer> {
  return callApi(path, { method: 'POST', body });
}

/** As `post`, with the language of the page and the zone of the reader, in which letters follow. */
export function postInLanguage<Answer>(path: Path, body: object): Promise<Answer> {
  return post(path, {
    ...body,
    language: document.documentElement.lang,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
}

/** A choice of a page. */
export interface Chosen {
  readonly priceId: string;
  readonly tokenKey: string;
  /** Absent: the price is fixed. */
  readonly quantity?: number;
  /** The code of a coupon; absent: the full price. */
  readonly coupon?: string;
}

/** What a wallet would have to approve for a price in a token. */
export function requestOffer(
  offerId: string,
  { address, quantity, ...choice }: Chosen & { readonly address: string },
): Promise<Request> {
  return callApi(`${offerPath(offerId)}/wallets/${encodeURIComponent(address)}?${queryOf({ ...choice, quantity })}`);
}

/** What a code takes off a choice. An error says why it takes nothing. */
export function requestCoupon(offerId: string, code: string, { coupon: _, ...choice }: Chosen): Promise<Discount> {
  return callApi(`${offerPath(offerId)}/coupons/${encodeURIComponent(code)}?${queryOf(choice)}`);
}

function queryOf({ quantity, ...choice }: Omit<Chosen, 'quantity'> & { readonly quantity?: number | undefined }) {
  return new URLSearchParams({ ...choice, ...(quantity === undefined ? {} : { quantity: String(quantity) }) });
}

/** The session of a key that another browser may have used, or nobody yet: null. */
export async function findSession(sessionKey: string): Promise<Session | null> {
  return (await callApi<FoundSession>(`${sessionPath(sessionKey)}/found`)).session;
}

/** Solana: the transaction in which this wallet approves `value` base units; 0 revokes the approval. */
export async function draftApproval(of: Path, address: string, value: bigint): Promise<string> {
  const body = { address, value: value.toString() };
  return (await post<{ readonly transaction: string }>(`${of}/approvals`, body)).transaction;
}
