import { z } from 'zod';
import { challengeSchema, type Signer, signChallenge } from './sign-challenge.ts';

/**
 * Acts as the page of a link when its visitor presses the button: requests a mandate, lets the wallet sign it, and
 * submits the signature. Resolves with the deciding status, 200 if accepted, and the operator to approve.
 */
export async function authorizeByLink(authorizationUrl: string, wallet: Signer): Promise<Authorized> {
  const link = apiOfLink(authorizationUrl);
  const { address } = wallet;
  const asked = await post(`${link}/challenges`, { address });
  if (!asked.ok) return { status: asked.status, operator: null };
  const challenge = challengeSchema.parse(await asked.json());
  const { message } = challenge;
  const signature = await signChallenge(wallet, challenge);
  const answer = await post(link, { address, message, signature });
  const { asked: sum = null } = signedSchema.parse(await answer.json());
  return { status: answer.status, operator: sum?.operator ?? null };
}

export interface Authorized {
  readonly status: number;
  /** Null: it was not accepted. */
  readonly operator: string | null;
}

/** The API that the page of a link uses (docs/rules.md, "Checkout API"). */
export function apiOfLink(authorizationUrl: string): string {
  const { origin, pathname } = new URL(authorizationUrl);
  return `${origin}/checkout/api/authorizations/${pathname.split('/').at(-1)}`;
}

const signedSchema = z.looseObject({ asked: z.looseObject({ operator: z.string() }).nullish() });

function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}
