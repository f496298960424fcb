import { inTokens } from '../billing/revenue/revenue.ts';
import type { SettlementSum } from '../billing/revenue/settlements.ts';
import type { Weekly } from '../billing/revenue/weekly.ts';
import type { Catalog } from '../chains/catalog.ts';
import type { PageLanguage } from '../pages/language.ts';
import type { Content, Fact } from './content.ts';

interface Week {
  readonly merchant: string;
  /** The first and the last day, by the clock of the zone. */
  readonly from: Date;
  readonly to: Date;
  readonly zone: string;
  readonly dashboard: string;
}

/** What happened in a shop in a week, beside the week before. Pure. */
export function weeklyContent(
  { last, before, paused, waiting, renewals }: Weekly,
  { merchant, from, to, zone, dashboard }: Week,
  catalog: Catalog,
  { say, day, tag, money }: PageLanguage,
): Content {
  const number = (count: number) => count.toLocaleString(tag, { numberingSystem: 'latn' });
  const beside = (now: string, then: string) => say('letter.weekly_beside', { now, then });
  const counts = (of: 'created' | 'ended' | 'failed') => beside(number(last[of]), number(before[of]));
  const amount = (key: string, units: bigint): string =>
    units < 0n
      ? `−${amount(key, -units)}`
      : money(inTokens(catalog, key, units), catalog.tokenByKey(key)?.ticker ?? '');
  const sums = (week: readonly SettlementSum[], key: string) => {
    const { gross = 0n, fee = 0n, refunded = 0n } = week.find(({ tokenKey }) => tokenKey === key) ?? {};
    const [charged, back, net] = [gross, refunded, gross - fee - refunded].map((units) => amount(key, units));
    return say('letter.weekly_sums', { charged: charged ?? '', refunded: back ?? '', net: net ?? '' });
  };
  const tokens = new Map([...before.sums, ...last.sums].map((sum) => [sum.tokenKey, sum]));
  const due = renewals.map(({ count, tokenKey, units }) => `${number(count)} (${amount(tokenKey, units)})`);
  return {
    subject: say('letter.weekly_subject', { merchant, from: day(from), to: day(to) }),
    texts: [say('letter.weekly_text', { zone })],
    facts: [
      ...[...tokens.values()].map(({ tokenKey: key, token: ticker, network }): Fact => {
        const name = say('common.token_on_network', { ticker, network });
        return [name, beside(sums(last.sums, key), sums(before.sums, key))];
      }),
      [say('letter.weekly_new'), counts('created')],
      [say('letter.weekly_ended'), counts('ended')],
      [say('letter.weekly_paused'), number(paused)],
      [say('letter.weekly_failed'), counts('failed')],
      ...(waiting === 0 ? [] : [[say('letter.weekly_waiting'), number(waiting)] as const]),
      [say('letter.weekly_renewals'), due.join(', ') || number(0)],
    ],
    action: { text: say('letter.weekly_dashboard'), url: dashboard },
  };
}
