import { chargeDueAt, dueAt, migrationWallet, nextCharge } from '../../../machines/subscription/changes.ts';
import type { SubscriptionContext, Terms } from '../../../machines/subscription/context.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { formatAmount } from '../../model/amounts.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { momentText } from './moments.ts';

type Catalog = Pick<HttpDeps, 'catalog'>;

/** The next charge of a subscription in a few words, and in a sentence with its amount. */
export interface NextCharge {
  readonly brief: string;
  readonly sentence: string;
}

/** @param now by the subscription's own clock */
export function nextChargeOf(deps: Catalog, doc: ActorDoc, context: SubscriptionContext, now: string): NextCharge {
  const { open, wakeAt, cancelAt, cyclesCompleted } = context;
  const migration = nextCharge(context) === 'migration' ? context.migration : null;
  const { terms } = migration ?? context;
  const payer = migration === null ? context.payerWallet : migrationWallet(context);
  const amount = amountText(deps, terms);
  if (doc.status === 'canceled') return none('the subscription is canceled');
  if (open !== null && wakeAt === null) {
    const attempt = `attempt ${open.attempt} of cycle ${open.number}`;
    return { brief: `now: ${attempt}`, sentence: `Now: ${attempt} is in flight, ${amount}.` };
  }
  const due = open === null ? (chargeDueAt(context) ?? dueAt(context)) : wakeAt;
  if (cancelAt !== null && (due === null || cancelAt <= due)) {
    return none(`the subscription ends on ${momentText(cancelAt)}, as requested`);
  }
  if (terms.maxCycles !== null && open === null && cyclesCompleted >= terms.maxCycles) {
    return none(`all of its ${terms.maxCycles} cycles are paid`);
  }
  if (due === null) {
    return { brief: 'after the authorization', sentence: `${amount}, as soon as the payer has authorized it.` };
  }
  const isPast = due <= now;
  const when = isPast ? `Due since ${momentText(due)}` : `On ${momentText(due)}`;
  return {
    brief: isPast ? `due since ${momentText(due)}` : momentText(due),
    sentence: `${when}: ${amount} from ${payer ?? 'nobody yet'}.`,
  };
}

function none(why: string): NextCharge {
  return { brief: `none: ${why}`, sentence: `None: ${why}.` };
}

/** `9.90 USDC` */
function amountText({ catalog }: Catalog, { tokenKey, amount, priceAmount }: Terms): string {
  const token = catalog.tokenByKey(tokenKey);
  return token ? `${formatAmount(BigInt(amount), token.decimals)} ${token.ticker}` : priceAmount;
}

/** `9.90 USDC every 3 months` */
export function priceText(deps: Catalog, terms: Terms): string {
  const { unit, count } = terms.interval;
  return `${amountText(deps, terms)} ${count === 1 ? `every ${unit}` : `every ${count} ${unit}s`}`;
}
