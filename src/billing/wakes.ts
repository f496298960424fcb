import type { Wake } from '../engine/waker.ts';
import type { ActorDoc } from '../store/documents.ts';
import type { BillingDeps } from './deps.ts';
import { type Readiness, readinessOf } from './readiness.ts';

/** What it means to each actor that its time has come. One answer per document, in their order. */
export function wakesFor(deps: BillingDeps): (docs: readonly ActorDoc[]) => Promise<Wake[]> {
  return async (docs) => {
    const subscriptions = docs.filter((doc) => doc.kind === 'subscription');
    const readiness = await readinessOf(deps, subscriptions);
    const ready = new Map(subscriptions.map((doc, index) => [doc._id, readiness[index]]));
    return docs.map((doc) => wakeOf(doc, ready.get(doc._id)));
  };
}

function wakeOf(doc: ActorDoc, charge: Readiness | undefined): Wake {
  switch (doc.kind) {
    case 'subscription':
      if (!charge) throw new Error(`nobody looked whether ${doc._id} can be charged`);
      return { kind: 'subscription', event: { type: 'cycle.due', asked: false, charge } };
    case 'payment':
      return { kind: 'payment', event: { type: 'pause.over' } };
    case 'delivery':
      return { kind: 'delivery', event: { type: 'delivery.due' } };
    default: {
      const never: never = doc.kind;
      throw new Error(`unknown kind ${String(never)}`);
    }
  }
}
