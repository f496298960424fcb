import { conflict } from '../errors/fault.ts';
import type { EventDoc, WebhookSettings } from '../store/collections.ts';
import type { Tenant } from '../store/documents.ts';
import { newId } from '../store/ids.ts';
import type { AddressGuard } from './address-guard.ts';
import { requestOf, secretsAt } from './attempt.ts';
import { effectiveUrl } from './effective-url.ts';
import type { Answer, Poster } from './http-poster.ts';
import type { SecretBox } from './secret-box.ts';
import { admittedUrl, NOT_ALLOWED } from './sender.ts';

/** How the endpoint answered a test event. */
export type TestEventAnswer = Answer & { readonly durationMs: number };

export interface TestEventDeps {
  readonly clock: () => Date;
  readonly guard: AddressGuard;
  readonly poster: Poster;
  readonly secrets: SecretBox;
}

/**
 * Posts one signed event `webhook.test` to the tenant's endpoint, as a delivery is posted, and keeps nothing of it: no
 * event, no delivery, no retry. Throws 409 if no URL is set.
 */
export async function postTestEvent(
  { clock, guard, poster, secrets: box }: TestEventDeps,
  tenant: Tenant,
  settings: WebhookSettings,
): Promise<TestEventAnswer> {
  const now = clock();
  const url = effectiveUrl(settings, tenant.mode);
  const open = (stored: string) => box.open(stored, tenant.merchantId);
  const secrets = secretsAt(settings, open, now, () => {});
  if (url === null || secrets === null) throw conflict('No webhook URL is set; set one first');
  const allowed = admittedUrl(guard, url, tenant.mode);
  if (allowed === null) return { ...NOT_ALLOWED, durationMs: 0 };
  const request = requestOf(testEvent(tenant, now), { url: allowed, ...secrets }, now);
  const began = performance.now();
  const answer = await poster.post(request);
  return { ...answer, durationMs: Math.round(performance.now() - began) };
}

function testEvent({ merchantId, mode }: Tenant, now: Date): EventDoc {
  return {
    _id: newId('evt', now),
    merchantId,
    mode,
    resourceId: merchantId,
    sequence: 1,
    event: 'webhook.test',
    createdAt: now,
    data: { message: 'A test event. Nothing has happened.' },
  };
}
