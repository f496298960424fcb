import { unchargedAtEnd } from '../../../machines/subscription/usage.ts';
import { paymentAttributes, paymentContextOf } from '../../../src/model/payment.ts';
import { subscriptionContextOf } from '../../../src/model/subscription.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import { allOf } from '../../lib/stored.ts';
import { LEAST, type Meter } from '../shop.ts';
import type { Story } from '../story.ts';
import type { SentRecord } from '../usage.ts';
import { storyOf } from './money.ts';
import { actors } from './stored.ts';

/** How much later than a cycle opens its use may have been read, and how far the clocks of processes may differ. */
const READ_MS = 60_000;
const CLOCKS_MS = 10_000;

/**
 * Every acknowledged record is stored once, and no refused one. All charges of a subscription up to each cycle are the
 * price of what was accepted by then, as far as the caps allow; in the end nothing is missing but what it shows as not
 * charged.
 */
export async function usageViolations(store: Store, stories: readonly Story[]): Promise<string[]> {
  const rows = await allOf(store, 'usage');
  const payments = await actors(store, 'payment');
  const wrong: string[] = [];
  for (const doc of await actors(store, 'subscription')) {
    const story = storyOf(doc, stories);
    const meter = story?.shop.meters.get(subscriptionContextOf(doc).terms.priceId);
    if (story === undefined || meter === undefined) continue;
    const stored = rows.filter(({ subscriptionId }) => subscriptionId === doc._id).flatMap(({ records }) => records);
    const sent = story.usage.sent.filter(({ subscriptionId }) => subscriptionId === doc._id);
    const keys = new Set(stored.map(({ key }) => key));
    if (keys.size < stored.length) wrong.push(`${doc._id} has a record twice among ${stored.length}`);
    for (const { key, until, mayCount } of sent) {
      if (Number.isFinite(until) && !keys.has(key)) wrong.push(`"${key}" of ${doc._id} was counted, and is not stored`);
      if (!mayCount && keys.has(key)) wrong.push(`"${key}" of ${doc._id} was refused, and is stored`);
    }
    const counted = sent.filter(({ key }) => keys.has(key));
    const own = payments.filter(({ attributes }) => paymentAttributes.parse(attributes).subscriptionId === doc._id);
    wrong.push(...mispriced(doc, meter, counted, own));
  }
  return wrong;
}

function mispriced(doc: ActorDoc, meter: Meter, counted: readonly SentRecord[], payments: readonly ActorDoc[]) {
  const wrong: string[] = [];
  const unitsBy = (isIn: (record: SentRecord) => boolean) =>
    counted.reduce((sum, record) => (isIn(record) ? sum + BigInt(record.quantity) : sum), 0n);
  const cycles = payments.flatMap((payment) => {
    const { cycle, usage } = paymentAttributes.parse(payment.attributes);
    const amount = BigInt(paymentContextOf(payment).amount);
    return usage === undefined || cycle === null ? [] : [{ cycle, amount, at: Date.parse(usage.to) }];
  });
  let sum = 0n;
  for (const { cycle, amount, at } of cycles.toSorted((one, other) => one.cycle - other.cycle)) {
    sum += amount;
    if (amount < LEAST || amount > meter.cap) wrong.push(`${doc._id} is charged ${amount} for cycle ${cycle}`);
    const least = unitsBy(({ until }) => until <= at - READ_MS) * meter.unit;
    const most = unitsBy(({ from }) => from <= at + CLOCKS_MS) * meter.unit;
    const isAll = sum >= least && sum % meter.unit === 0n;
    if (sum > most || (amount < meter.cap && !isAll))
      wrong.push(`${doc._id} is charged ${sum} up to cycle ${cycle}, for use of ${least} to ${most}`);
  }
  const context = subscriptionContextOf(doc);
  const total = unitsBy(() => true);
  const uncharged = unchargedAtEnd(context, Number(total));
  if (context.ended !== null && sum + uncharged !== total * meter.unit)
    wrong.push(`${doc._id} has used ${total} units, was charged ${sum}, and shows ${uncharged} as not charged`);
  return wrong;
}
