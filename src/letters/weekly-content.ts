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
  language: PageLanguage,
): Content {
  const { say, day, tag, money } = language;
  const number = (count: number) => count.toLocaleString(tag, { numberingSystem: 'latn' });
  const beside = (now: string, then: string) => say('letter.weekly_beside', { now, then });
  const counts = (of: 'created' | 'ended' | 'failed') => beside(number(last[of]), number(before[of]));
  const sums = (of: Sums) => sumsText(of, catalog, language);
  const due = renewals.map(
    ({ count, amount, tokenKey }) => `${number(count)} (${money(amount, tickerIn(catalog, tokenKey))})`,
  );
  return {
    subject: say('letter.weekly_subject', { merchant, from: day(from), to: day(to) }),
    texts: [say('letter.weekly_text', { zone })],
    facts: [
      ...tokensOf(last.sums, before.sums).map(({ token: ticker, network, ofLast, ofBefore }): Fact => {
        return [say('common.token_on_network', { ticker, network }), beside(sums(ofLast), sums(ofBefore))];
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

type Sums = Pick<SettlementSum, 'tokenKey' | 'gross' | 'fee' | 'refunded'>;

/** Every token of either week. */
function tokensOf(last: readonly SettlementSum[], before: readonly SettlementSum[]) {
  const tokens = new Map([...before, ...last].map((sum) => [sum.tokenKey, sum]));
  return [...tokens.values()].map(({ tokenKey, token, network }) => {
    const nothing = { tokenKey, gross: 0n, fee: 0n, refunded: 0n };
    const of = (sums: readonly Sums[]) => sums.find((sum) => sum.tokenKey === tokenKey) ?? nothing;
    return { token, network, ofLast: of(last), ofBefore: of(before) };
  });
}

/** "12.00 USDC charged, 2.00 USDC refunded, 9.88 USDC net". Net may be less than nothing. */
function sumsText({ tokenKey, gross, fee, refunded }: Sums, catalog: Catalog, { say, money }: PageLanguage): string {
  const text = (units: bigint) => money(inTokens(catalog, tokenKey, units), tickerIn(catalog, tokenKey));
  const net = gross - fee - refunded;
  const left = net < 0n ? `−${text(-net)}` : text(net);
  return say('letter.weekly_sums', { charged: text(gross), refunded: text(refunded), net: left });
}

function tickerIn(catalog: Catalog, tokenKey: string): string {
  return catalog.tokenByKey(tokenKey)?.ticker ?? tokenKey;
}
