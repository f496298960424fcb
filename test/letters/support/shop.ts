import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setLetters } from '../../../src/billing/administration/letter-settings.ts';
import { type LettersDeps, sendDueLetters } from '../../../src/letters/letters.ts';
import { type Mailer, smtpMailer } from '../../../src/letters/smtp.ts';
import { packageRoot } from '../../../src/package/root.ts';
import type { ShellTexts } from '../../../src/pages/language.ts';
import type { LetterDoc } from '../../../src/store/collections.ts';
import { PostOffice, type Received } from '../../../stage/post-office.ts';
import { afterEachFile } from '../../runner/after.ts';
import { PUBLIC_URL } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

/** The texts of the payer's pages, without a build of the pages. */
export function textsOfPages(): ReadonlyMap<string, ShellTexts> {
  const folder = join(packageRoot(), 'web/messages');
  return new Map(
    readdirSync(folder).map((name) => {
      const texts: ShellTexts = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      return [name.replace('.json', ''), texts] as const;
    }),
  );
}

/** A merchant that sends letters in test mode, and the mail server that takes them. */
export class LetterShop {
  readonly merchant: MerchantOverHttp;
  readonly office: PostOffice;
  readonly #mailer: Mailer;

  private constructor(merchant: MerchantOverHttp, office: PostOffice) {
    this.merchant = merchant;
    this.office = office;
    this.#mailer = smtpMailer({ url: office.url, from: office.env.LETTERS_FROM });
  }

  static async open(): Promise<LetterShop> {
    const merchant = await MerchantOverHttp.open({
      sendsLetters: true,
      change: (deps) => ({ ...deps, config: { ...deps.config, sendsLetters: true } }),
    });
    const office = await PostOffice.open();
    afterEachFile(() => office.close());
    const shop = new LetterShop(merchant, office);
    await shop.set({ test: true });
    return shop;
  }

  get deps(): LettersDeps {
    const { http, billing } = this.merchant;
    return {
      store: http.store,
      clock: () => http.now,
      log: http.deps.log,
      meters: { letter: () => undefined },
      mailer: this.#mailer,
      stopping: new AbortController().signal,
      catalog: http.catalog,
      receipts: billing.deps.receipts,
      pages: { current: async () => ({ texts: textsOfPages() }) },
      publicUrl: PUBLIC_URL,
      from: this.office.env.LETTERS_FROM,
    };
  }

  async set(change: Parameters<typeof setLetters>[2]): Promise<void> {
    const { http, id } = this.merchant;
    await setLetters(http.deps, id, change, { by: 'staff', reason: 'a test' });
    // Commits use the switches of a merchant for a second.
    this.merchant.later(1_001);
  }

  /** As the job does; returns what readers have got by that. */
  async send(deps: Partial<LettersDeps> = {}): Promise<readonly Received[]> {
    const before = this.office.received.length;
    await this.merchant.billing.quiet();
    await sendDueLetters({ ...this.deps, ...deps });
    // Letters of one moment come in any order.
    this.merchant.later(1_000);
    return this.office.received.slice(before);
  }

  /** The stored letters, the oldest first. */
  letters(): Promise<LetterDoc[]> {
    return this.merchant.http.store.records.find('letters', {
      where: { merchantId: this.merchant.id },
      sort: [['createdAt', 1]],
      limit: 100,
    });
  }
}
