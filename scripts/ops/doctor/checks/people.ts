import { heldDeposits as depositsHeld } from '../../../../src/billing/administration/deposits.ts';
import { failingEndpoints as endpointsFailing, FIRST_PART } from '../../../../src/staff/inspect/trouble.ts';
import { depositView } from '../../../../src/staff/views.ts';
import { type Found, found, note, type Patient, SHOWN, wrong } from '../finding.ts';

/** Money at deposit addresses that stays there until staff send it. */
export async function heldDeposits({ store, catalog }: Patient): Promise<Found> {
  const page = { limit: SHOWN, start: 0 };
  const [count, held] = await Promise.all([
    store.records.count('deposits', { heldAt: { gt: new Date(0) } }, 1_000),
    depositsHeld({ store, catalog }, page),
  ]);
  const findings = held.items.slice(0, SHOWN).map((deposit) => {
    const { id, paymentId, left, tokenKey, held: why } = depositView(deposit);
    const what = `${left} ${tokenKey ?? 'of an unknown token'} of ${paymentId} is held: ${why ?? 'no reason is stored'}`;
    const todo = `POST /staff/api/deposits/${id}/send {"to": ADDRESS, "reason": WHY}, or in the console at ${paymentId}`;
    return wrong(id, what, todo, deposit.book.heldAt);
  });
  return found(findings, count);
}

/** Merchants' endpoints that do not accept deliveries; the merchants must repair them. */
export async function failingEndpoints({ store, now }: Patient): Promise<Found> {
  const { count, items } = await endpointsFailing({ store }, FIRST_PART, now);
  const findings = items.map(({ id, title, detail, since }) => {
    const todo = `tell the merchant; after that POST /staff/api/deliveries/${id}/redeliver {"reason": WHY} for each failed delivery`;
    return { ...note(title, detail, todo), since };
  });
  return found(findings, count);
}
