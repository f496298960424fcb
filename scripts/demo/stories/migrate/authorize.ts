import { setTimeout as delay } from 'node:timers/promises';
import { parseUnits } from 'ethers';
import { z } from 'zod';
import { requestJson } from '../../../lib/json-request.ts';
import { money } from '../../shop.ts';
import type { Stage } from '../../stage.ts';
import type { Subscribed } from '../subscription/plan.ts';
import { YEARLY } from './plans.ts';

const challengeSchema = z.object({
  message: z.string(),
  typedData: z.looseObject({
    domain: z.looseObject({}),
    types: z.looseObject({ Mandate: z.array(z.object({ name: z.string(), type: z.string() })) }),
    message: z.looseObject({ perCharge: z.string() }),
  }),
});

/** The operator to approve: it charges within the mandate only. */
const signedSchema = z.object({ asked: z.object({ operator: z.string() }) });

/** The years that a careful payer approves at once. */
const YEARS_APPROVED = 3n;

/** Page requests are limited per address. */
const POLL_MS = 250;

/** The payer opens the link, reads the text, signs the mandate with the wallet, and approves the new amounts. */
export async function agree(stage: Stage, { id }: Subscribed, authorizationUrl: string): Promise<void> {
  const { shop, payer, timeline, expect } = stage;
  const at = (await shop.merchant.payments(id)).at(-1)?.periodStart ?? new Date().toISOString();
  const { address } = payer;
  const link = apiOf(authorizationUrl);
  const { message, typedData } = await requestJson({
    method: 'POST',
    url: `${link}/challenges`,
    body: { address },
    schema: challengeSchema,
    expected: [201],
  });
  expect.equal('The text to sign names the new price', message.includes(YEARLY.price), true);
  const { token } = shop;
  const price = parseUnits(YEARLY.price, token.decimals);
  expect.equal('The mandate allows the new price a charge', typedData.message.perCharge, price.toString());
  const body = { address, message, signature: await payer.sign(typedData) };
  const signed = await requestJson({ method: 'POST', url: link, body, schema: signedSchema, expected: [200] });
  timeline.add({ at, what: 'Ada opens the link and signs' });

  const allowance = price * YEARS_APPROVED;
  const txHash = await payer.approve(token.address, signed.asked.operator, allowance);
  timeline.add({ at, what: `Ada approves ${YEARS_APPROVED} years`, amount: money(allowance, token), txHash });
  await covered(stage, link);
}

/** Waits until the page's own request shows that the service has seen the allowance. */
async function covered({ timeline, world }: Stage, link: string): Promise<void> {
  const ask = () => requestJson({ method: 'GET', url: link, schema: standingSchema, expected: [200] });
  const seen = async (): Promise<void> => {
    while (!(await ask()).isAuthorized) await delay(POLL_MS);
  };
  await timeline.waitFor('waiting for the service to see the allowance', Promise.race([seen(), world.lost]));
}

const standingSchema = z.object({ isAuthorized: z.boolean() });

/** The API that the page of a link uses (docs/rules.md, "Checkout API"). */
function apiOf(authorizationUrl: string): string {
  const { origin, pathname } = new URL(authorizationUrl);
  return `${origin}/checkout/api/authorizations/${pathname.split('/').at(-1)}`;
}
