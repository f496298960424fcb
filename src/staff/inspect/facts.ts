import { subscriptionContext } from '../../../machines/subscription/context.ts';
import { actorTime } from '../../engine/projection.ts';
import type { HttpDeps } from '../../http/deps.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Fact, PaymentRow } from '../wire.ts';
import { momentText } from './moments.ts';
import { nextChargeOf, priceText } from './next-charge.ts';

/** A subscription's customer, price and next charge. */
export async function subscriptionFacts(deps: HttpDeps, doc: ActorDoc, customerId: string): Promise<Fact[]> {
  const context = subscriptionContext.parse(doc.context);
  const { brief } = nextChargeOf(deps, doc, context, actorTime(deps.clock(), doc.clockOffsetMs));
  return [
    ...(await customerFact(deps, customerId)),
    { name: 'price', label: 'Price', value: priceText(deps, context.terms), id: null },
    { name: 'next-charge', label: 'Next charge', value: brief, id: null },
  ];
}

/** A payment's customer, purpose and next attempt. */
export async function paymentFacts(deps: HttpDeps, payment: PaymentRow, customerId: string | null): Promise<Fact[]> {
  const { cycle, subscriptionId, period, nextAttemptAt } = payment;
  const purpose = cycle === null ? 'one-off payment' : `cycle ${cycle}: ${period}`;
  const next =
    nextAttemptAt === null
      ? []
      : [{ name: 'next-attempt', label: 'Next attempt', value: momentText(nextAttemptAt), id: null }];
  return [
    ...(customerId === null ? [] : await customerFact(deps, customerId)),
    { name: 'purpose', label: 'For', value: purpose, id: subscriptionId },
    ...next,
  ];
}

async function customerFact({ store }: Pick<HttpDeps, 'store'>, id: string): Promise<Fact[]> {
  const [customer] = await store.records.get('customers', [id]);
  return [{ name: 'customer', label: 'Customer', value: customer?.name ?? customer?.email ?? id, id }];
}
