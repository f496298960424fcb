import type { Wallet } from 'ethers';
import { z } from 'zod';

const challengeSchema = z.object({ message: z.string() });

/**
 * Acts as the page of a link when its visitor presses the button: requests a text, lets the wallet sign it, and submits the
 * signature. Resolves with the status of the deciding answer: 200 if it was accepted.
 */
export async function authorizeByLink(authorizationUrl: string, wallet: Wallet): Promise<number> {
  const { origin, pathname } = new URL(authorizationUrl);
  const link = `${origin}/checkout/api/authorizations/${pathname.split('/').at(-1)}`;
  const { address } = wallet;
  const asked = await post(`${link}/challenges`, { address });
  if (!asked.ok) return asked.status;
  const { message } = challengeSchema.parse(await asked.json());
  const signature = await wallet.signMessage(message);
  return (await post(link, { address, message, signature })).status;
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}
