import { MACHINES } from '../../../machines/versions.ts';
import { consentOf } from '../../chains/consent.ts';
import { groupBy } from '../../chains/group-by.ts';
import type { ChargeListener, Reserved } from '../../chains/port.ts';
import { isKnown } from '../../engine/upcast.ts';
import { cyclePaymentId, paymentContextOf } from '../../model/payment.ts';
import { subscriptionContextOf } from '../../model/subscription.ts';
import type { ChargeDoc } from '../../store/collections.ts';
import type { BillingDeps } from '../deps.ts';
import { endedConsents } from '../mandates/mandates.ts';
import { claimTotals } from './claim-totals.ts';
import { claimants } from './claimants.ts';
import { type Claim, type Reserve, reservedBefore } from './coverage.ts';
import { type Readable, readableOf } from './readable.ts';
import { allowanceKey, allowanceKeyAt, type UpcomingCharge, upcomingChargesOf } from './upcoming-charges.ts';

export interface ReservesDeps extends Pick<BillingDeps, 'store' | 'catalog' | 'chains' | 'clock' | 'log'> {
  readonly engine: Pick<BillingDeps['engine'], 'recall'>;
}

/** The claims by account, and the subscriptions whose claims cannot be computed. */
interface Claims {
  readonly on: ReadonlyMap<string, readonly Held[]>;
  readonly unread: ReadonlySet<string>;
}

interface Held extends Claim {
  readonly openPayment: string | null;
}

/**
 * The reserves of the payers' allowances before each of these charges (docs/rules.md, "Operators, consent,
 * allowances"). For a cycle: the next charges of subscriptions authorized before its own. For any other charge: those
 * of all. Reads payments once and subscriptions once for each mode, however many charges and merchants there are. Omits
 * a charge whose own payment or subscription cannot be read; other subscriptions that cannot be read count as zero.
 */
export function createReserves(deps: ReservesDeps): ChargeListener['reserves'] {
  const readable = readableOf(deps);
  return async (charges, precision) => {
    const modes = [...groupBy(charges, ({ mode }) => mode).values()];
    if (precision === 'at_most')
      return new Map((await Promise.all(modes.map((own) => reservesAtMost(deps, own)))).flat());
    const loaded = await deps.engine.recall(
      'payment',
      charges.map(({ paymentId }) => paymentId),
    );
    const payments = new Map(loaded.filter((doc) => isKnown(MACHINES, doc)).map((doc) => [doc._id, doc]));
    const answers = await Promise.all(
      modes.map(async (own) => {
        const claims = await claimsOn(deps, readable, own);
        return own.flatMap((charge): [string, Reserved][] => {
          const payment = payments.get(charge.paymentId);
          const context = payment ? readable.read(payment, paymentContextOf) : null;
          const subscriptionId = context?.cycleOf?.subscriptionId ?? null;
          if (context === null || (subscriptionId !== null && claims.unread.has(subscriptionId))) return [];
          return [[charge._id, reservedOf(claims.on.get(chargedAccount(deps, charge)) ?? [], subscriptionId)]];
        });
      }),
    );
    return new Map(answers.flat());
  };
}

/**
 * For each charge the sum of the present charges of all live subscriptions of its payer and merchant in its token. None
 * for a wallet to which a subscription is going to move.
 */
export async function reservesAtMost(
  deps: Pick<ReservesDeps, 'store' | 'catalog'>,
  charges: readonly ChargeDoc[],
): Promise<[string, Reserved][]> {
  const totalOf = await claimTotals(deps, charges, [...new Set(charges.map(({ from }) => from))]);
  return charges.flatMap((charge): [string, Reserved][] => {
    const total = totalOf({ ...charge, wallet: charge.from });
    return total === null ? [] : [[charge._id, { sure: total.amount, unsure: 0n, paymentIds: new Set() }]];
  });
}

function reservedOf(claims: readonly Held[], subscriptionId: string | null): Reserved {
  const before = reservedBefore(claims, subscriptionId);
  const sumOf = (reserve: Reserve): bigint =>
    before.filter((claim) => (claim.reserve ?? 'sure') === reserve).reduce((sum, { amount }) => sum + amount, 0n);
  return {
    sure: sumOf('sure'),
    unsure: sumOf('unsure'),
    paymentIds: new Set(before.flatMap(({ openPayment }) => openPayment ?? [])),
  };
}

/** The claims of all live subscriptions on the accounts that these charges, all of one mode, draw on. */
async function claimsOn(deps: ReservesDeps, readable: Readable, charges: readonly ChargeDoc[]): Promise<Claims> {
  const wallets = [...new Set(charges.map(({ from }) => from))];
  const wanted = new Set(charges.map((charge) => chargedAccount(deps, charge)));
  const on = new Map<string, Held[]>();
  const unread = new Set<string>();
  for await (const page of claimants(deps.store, charges, wallets)) {
    const upcoming: UpcomingCharge[] = [];
    for (const doc of page) {
      if (readable.hasClaims(doc)) upcoming.push(...upcomingChargesOf(deps, doc, deps.clock()));
      else unread.add(doc._id);
    }
    const next = upcoming.filter((charge) => charge.isNext && wanted.has(allowanceKey(charge)));
    const endOf = await endedConsents(
      deps,
      next.map(({ onChain }) => onChain.consent),
    );
    for (const charge of next.filter(({ onChain }) => endOf(onChain.consent) === null)) {
      const account = allowanceKey(charge);
      on.set(account, [...(on.get(account) ?? []), heldOf(charge)]);
    }
  }
  return { on, unread };
}

function heldOf({ doc, claim }: UpcomingCharge): Held {
  const { open } = subscriptionContextOf(doc);
  return { ...claim, openPayment: open === null ? null : cyclePaymentId(doc._id, open.number) };
}

/** The key of the allowance that a charge draws on. */
function chargedAccount({ chains }: ReservesDeps, charge: ChargeDoc): string {
  const chain = chains.get(charge.chainId);
  if (chain === undefined) throw new Error(`${charge._id} is of an unknown chain`);
  const { merchantId, mode, token, from: wallet } = charge;
  const operator = chain.operatorFor(merchantId, mode, consentOf(charge));
  return allowanceKeyAt(charge, { chain, token, operator, wallet });
}
