import { MACHINES } from '../../../machines/versions.ts';
import type { ChargeListener, SetAside } from '../../chains/port.ts';
import { isKnown } from '../../engine/upcast.ts';
import type { ChargeDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { cyclePaymentId } from '../effects/open-charge.ts';
import { livePages } from '../live-subscriptions.ts';
import { contextOf as paymentContextOf } from '../payments/record.ts';
import { contextOf } from '../subscriptions/record.ts';
import type { AllowanceLooker } from './looker.ts';
import { type Claim, type Reserve, setAsideBefore } from './reckoning.ts';
import { reserveOf } from './reserve.ts';

export interface SetAsideDeps {
  readonly store: Store;
  readonly looker: Pick<AllowanceLooker, 'placeOf'>;
}

/** A claim, and the payment of its charge in flight. */
interface Held extends Claim {
  readonly reserve: Reserve;
  readonly openPayment: string | null;
}

/**
 * What is set aside of the payers' allowances before each of these charges (decisions, "Operators, consent, allowances"): for
 * a cycle the next charges of those authorized before its subscription, for any other charge those of all. One read of
 * payments and one of subscriptions for each merchant, however many charges there are.
 */
export function createSetAside({ store, looker }: SetAsideDeps): ChargeListener['setAside'] {
  return async (charges) => {
    const loaded = await store.actors.load(
      'payment',
      charges.map(({ paymentId }) => paymentId),
    );
    const payments = new Map(loaded.filter((doc) => isKnown(MACHINES, doc)).map((doc) => [doc._id, doc]));
    const tenants = grouped(charges, ({ merchantId, mode }) => `${merchantId}/${mode}`);
    const answers = await Promise.all(
      tenants.map(async (own) => {
        const claims = await claimsOn(store, looker, own);
        return own.flatMap((charge): [string, SetAside][] => {
          const payment = payments.get(charge.paymentId);
          return payment ? [[charge._id, asideOf(claims.get(accountOf(charge)) ?? [], payment)]] : [];
        });
      }),
    );
    return new Map(answers.flat());
  };
}

function asideOf(claims: readonly Held[], payment: ActorDoc): SetAside {
  const { cycleOf } = paymentContextOf(payment);
  const before = setAsideBefore(claims, cycleOf?.subscriptionId ?? null);
  const sumOf = (reserve: Reserve): bigint =>
    before.filter((claim) => claim.reserve === reserve).reduce((sum, { amount }) => sum + amount, 0n);
  return {
    sure: sumOf('sure'),
    unsure: sumOf('unsure'),
    paymentIds: new Set(before.flatMap(({ openPayment }) => openPayment ?? [])),
  };
}

/** The claims of all live subscriptions of one merchant on the accounts that these charges are to be made from. */
async function claimsOn(
  store: Store,
  looker: SetAsideDeps['looker'],
  charges: readonly ChargeDoc[],
): Promise<ReadonlyMap<string, readonly Held[]>> {
  const [first] = charges;
  if (!first) return new Map();
  const wallets = [...new Set(charges.map(({ from }) => from))];
  const tenant = { merchantId: first.merchantId, mode: first.mode };
  const claims = new Map<string, Held[]>();
  for await (const page of livePages(store, tenant, { 'context.payerWallet': { in: wallets } })) {
    for (const doc of page.filter((each) => isKnown(MACHINES, each))) {
      const place = looker.placeOf(doc);
      if (!place) continue;
      const account = accountOf({ chainId: place.chain.chainId, token: place.token, from: place.wallet });
      const known = claims.get(account);
      if (known) known.push(claimOf(doc, place.amount));
      else claims.set(account, [claimOf(doc, place.amount)]);
    }
  }
  return claims;
}

function claimOf(doc: ActorDoc, amount: bigint): Held {
  const { authorizedAt, open } = contextOf(doc);
  return {
    id: doc._id,
    amount,
    authorizedAt,
    createdAt: doc.createdAt.toISOString(),
    reserve: reserveOf(doc),
    openPayment: open === null ? null : cyclePaymentId(doc._id, open.number),
  };
}

/** Within one merchant and mode, which have one operator. Addresses are stored in one spelling. */
function accountOf({ chainId, token, from }: Pick<ChargeDoc, 'chainId' | 'token' | 'from'>): string {
  return `${chainId}/${token}/${from}`;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}
