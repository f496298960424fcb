import type { JsonObject } from '../../../machines/json.ts';
import { compact } from '../../model/pick.ts';
import { timeZoneOf } from '../../model/time-zones.ts';
import type { LetterSettings, MerchantDoc } from '../../store/collections.ts';
import { nextSummary } from '../letters/weekly-summaries.ts';
import { type AccountDeps, changeAccount } from './account.ts';
import type { StaffOrder } from './staff-journal.ts';

/** Nobody is surprised by letters to the customers of a test, so both modes begin without. */
const NO_LETTERS: LetterSettings = {
  ...{ live: false, test: false, replyTo: null, reminderDays: 7, language: null, summaryTo: null, summaryAt: null },
};

export function letterSettingsOf({ letters }: Pick<MerchantDoc, 'letters'>): LetterSettings {
  return { ...NO_LETTERS, ...letters };
}

/** Changes the letters of a merchant; an absent part stays. Throws 404. */
export function setLetters(
  deps: Pick<AccountDeps, 'store' | 'clock'>,
  merchantId: string,
  change: { readonly [S in keyof LetterSettings]?: LetterSettings[S] | undefined },
  order: StaffOrder,
): Promise<MerchantDoc> {
  return changeAccount(deps, merchantId, order, (merchant) => {
    const from = letterSettingsOf(merchant);
    const to: LetterSettings = { ...from, ...compact(change) };
    const next = from.summaryAt ?? nextSummary(timeZoneOf(merchant), deps.clock());
    const letters = { ...to, summaryAt: to.summaryTo === null ? null : next };
    return { action: 'letters.changed', set: { letters }, details: { from: chosenOf(from), to: chosenOf(to) } };
  });
}

/** What people have chosen. */
export function chosenOf({ summaryAt: _, ...chosen }: LetterSettings): Omit<LetterSettings, 'summaryAt'> & JsonObject {
  return { ...chosen };
}
