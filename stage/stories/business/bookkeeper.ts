import { type Tideline, TidelineError } from 'tideline/client';
import type { z } from 'zod';
import { requestJson } from '../../../scripts/lib/json-request.ts';
import { inviteMember } from '../../../scripts/lib/staff.ts';
import { DASHBOARD_HEADER } from '../../../src/dashboard/endpoint.ts';
import { invoicingSchema, letterSettingsSchema, ownBrandingSchema } from '../../../src/dashboard/wire.ts';
import { times } from '../../calendar.ts';
import type { Merchant } from '../../merchant.ts';
import type { Payer } from '../../payer.ts';
import type { PostOffice } from '../../post-office.ts';
import type { Stage } from '../../stage.ts';
import type { StagedSubscription } from '../../subscription.ts';
import { inTokens, units } from '../../tokens.ts';
import { until } from '../../until.ts';

type Invoice = Awaited<ReturnType<Tideline['payments']['invoice']>>;
type Issued = Pick<Invoice, 'number' | 'lines' | 'tax' | 'taxRate' | 'total' | 'transaction'>;

/** An invoice or a credit note. */
interface Document {
  readonly number: string;
  readonly what: string;
  /** Base units; below 0 of a credit note. */
  readonly total: bigint;
  readonly txHash: string;
}

/** The first letter waits until the pages are built, whose texts it has. */
const LETTERS_MS = 180_000;

/** Keeps the invoices and credit notes that a shop issues, and the letters that its customer gets. */
export class Bookkeeper {
  /** From then on payments have invoices. ISO 8601. */
  readonly #since: string;
  readonly #stage: Stage;
  readonly #merchant: Merchant;
  readonly #mail: PostOffice;
  readonly #documents: Document[] = [];
  #read = 0;

  private constructor(stage: Stage, merchant: Merchant, since: string) {
    if (stage.office === null) throw new Error('the service of this stage sends no letters');
    this.#mail = stage.office;
    this.#stage = stage;
    this.#merchant = merchant;
    this.#since = since;
  }

  /** The shop's owner opens the dashboard by an invitation, says who sells with which tax, and turns letters on. */
  static async open(stage: Stage, merchant: Merchant): Promise<Bookkeeper> {
    const save = await dashboardOf(stage, merchant.id);
    await save(
      '/branding',
      { legalName: 'Lantern GmbH', legalAddress: 'Hafenstr. 1, 20457 Hamburg' },
      ownBrandingSchema,
    );
    await save('/letter-settings', { test: true, reminderDays: 7 }, letterSettingsSchema);
    const taxes = { isTaxIncluded: true, taxRate: '19', taxRates: {} };
    const seller = { country: 'DE', taxId: 'DE123456788', currency: 'EUR', ...taxes };
    const { since } = await save('/invoicing', seller, invoicingSchema);
    stage.narrator.add({ what: 'In the dashboard: invoices with 19 % tax, and letters to customers' });
    return new Bookkeeper(stage, merchant, since ?? '');
  }

  /** Waits until every process has read that the merchant makes invoices. */
  async untilInvoicing(): Promise<void> {
    const { narrator } = this.#stage;
    const begun = until(
      'invoices begin',
      () => this.#stage.now().toISOString(),
      (now) => now >= this.#since,
    );
    await narrator.waitFor('every process to know that the shop makes invoices', begun);
  }

  /** Waits for the invoice of the last cycle, and checks its lines, such as `3 × Teams: 30.00`. */
  async expectInvoice(club: StagedSubscription, ...lines: readonly string[]): Promise<void> {
    const [payment] = (await club.payments()).slice(-1);
    this.#keep(await this.#issued(payment?.id ?? '', 0), lines, 'Invoice', 1n);
  }

  /** Waits for the first credit note of this payment, and checks its lines. */
  async expectCreditNote(paymentId: string, ...lines: readonly string[]): Promise<void> {
    const { creditNotes } = await this.#issued(paymentId, 1);
    for (const each of creditNotes) this.#keep(each, lines, `Credit note to ${each.corrects}`, -1n);
  }

  #issued(paymentId: string, notes: number): Promise<Invoice> {
    const ask = () => this.#merchant.api.payments.invoice(paymentId).catch(nullIfNone);
    return until(
      `the documents of ${paymentId} are issued`,
      ask,
      (invoice): invoice is Invoice => invoice?.creditNotes.length === notes,
    );
  }

  #keep(
    { number, lines, tax, taxRate, total, transaction }: Issued,
    expected: readonly string[],
    kind: string,
    sign: bigint,
  ) {
    const { expect, narrator } = this.#stage;
    const found = lines.map(({ quantity, name, kind: of, net, tax: own }) => {
      const what = quantity === null ? (name ?? of) : `${quantity} × ${name}`;
      return `${what}: ${inTokens(units(net) + units(own))}`;
    });
    expect.equal(`${number} has these lines`, found, expected);
    const sum = lines.reduce((all, { net, tax: own }) => all + units(net) + units(own), 0n);
    expect.equal(`The lines of ${number} add up to its total`, inTokens(sum), total);
    this.#documents.push({ number, what: kind, total: sign * sum, txHash: transaction ?? '' });
    narrator.add({ what: number, status: kind.split(' ')[0]?.toLowerCase() ?? '', amount: inTokens(sign * sum) });
    narrator.line(`${INDENT}${[...found, `${taxRate} % tax in it: ${tax}`].join('; ')}`, 'note');
  }

  /** Waits for further letters, in any order, and checks the first sentence of each, and that there is no other. */
  async expectLetters(...sentences: readonly string[]): Promise<void> {
    const { expect, narrator } = this.#stage;
    const further = () => this.#mail.received.slice(this.#read).map(({ mail }) => sentenceIn(mail.text ?? ''));
    const coming = until('the letters have come', further, ({ length }) => length >= sentences.length, {
      orLast: true,
      withinMs: LETTERS_MS,
    });
    const found = await narrator.waitFor('letters', coming);
    this.#read += found.length;
    expect.equal('Exactly these letters come', found.toSorted(), sentences.toSorted());
    for (const sentence of found) narrator.add({ what: `Letter: ${sentence}` });
  }

  /** Compares each document, and their sum, with the Transfer logs of the wallet, which nobody else moves. */
  async expectSums({ name, address }: Payer): Promise<void> {
    const { chain, expect, narrator } = this.#stage;
    const moved = new Map<string, bigint>();
    for (const { from, to, txHash, value } of await chain.transfers()) {
      if (![from, to].includes(address) || [from, to].includes(chain.faucet)) continue;
      moved.set(txHash, (moved.get(txHash) ?? 0n) + (from === address ? value : -value));
    }
    const documents = this.#documents;
    const numbers = documents.map((_, index) => `TEST-2028-${String(index + 1).padStart(4, '0')}`);
    const found = documents.map(({ number }) => number);
    expect.equal('The numbers have no gap', found, numbers);
    expect.equal(
      'Each transaction of the wallet has its document, with the amount of its Transfer logs',
      documents.map(({ txHash, total }) => [txHash, total]),
      [...moved],
    );
    const [issued, paid] = [documents.map(({ total }) => total), [...moved.values()]].map(sumOf);
    expect.equal('Invoices less credit notes are what the logs add up to', issued, paid);

    narrator.chapter(`Invoices less credit notes, beside the Transfer logs of ${name}'s wallet`);
    narrator.line(row('number', 'what', 'total', 'Transfer log', 'tx'), 'note');
    for (const { number, what, total, txHash } of documents)
      narrator.line(row(number, what, inTokens(total), inTokens(moved.get(txHash) ?? 0n), txHash));
    narrator.line(row('', 'Sum', inTokens(issued ?? 0n), inTokens(paid ?? 0n), ''), 'good');
  }

  /** Checks how many letters there are in all, and that each went to this address. */
  expectAllLetters(count: number, address: string): void {
    const { expect, narrator } = this.#stage;
    const { received } = this.#mail;
    const addresses = received.map(({ to }) => to);
    expect.equal(`Exactly ${count} letters have come`, addresses, times(count, address));
    narrator.chapter(`${count} letters, as the mail server of the customer has taken them`);
    for (const [index, { to, mail }] of received.entries())
      narrator.line(` ${String(index + 1).padStart(2)}  ${to}  ${mail.subject}`);
  }
}

/** Below what happened. */
export const INDENT = ' '.repeat(13);

/** Changes a part of the settings in the dashboard; the merchant API has none of them. */
type Save = <T>(path: string, change: object, schema: z.ZodType<T>) => Promise<T>;

async function dashboardOf(stage: Stage, merchantId: string): Promise<Save> {
  const { url } = await inviteMember(stage.staff(), merchantId, { name: 'Grace', role: 'admin' }, 'a story');
  const token = new URLSearchParams(new URL(url).hash.slice(1)).get('invitation');
  const api = `${stage.url}/dashboard/api`;
  const headers = { [DASHBOARD_HEADER]: '1', 'Content-Type': 'application/json' };
  const opened = await fetch(`${api}/session/invitation`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const [cookie = ''] = opened.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
  return (path, body, schema) => {
    const own = { [DASHBOARD_HEADER]: '1', cookie };
    return requestJson({ method: 'PATCH', url: `${api}${path}`, headers: own, body, schema, expected: [200] });
  };
}

function nullIfNone(error: unknown): null {
  if (error instanceof TidelineError && error.status === 404) return null;
  throw error;
}

/** After the merchant's name, what test mode is, and the subject. */
function sentenceIn(text: string): string {
  return text.split('\n\n')[3] ?? '';
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

function row(number: string, what: string, total: string, moved: string, txHash: string): string {
  const hash = txHash.startsWith('0x') ? `${txHash.slice(0, 6)}…${txHash.slice(-4)}` : txHash;
  const amounts = [total, moved].map((amount) => amount.padStart(14)).join('');
  return ` ${number.padEnd(16)}${what.padEnd(30)}${amounts}  ${hash}`.trimEnd();
}
