import { extractText, getDocumentProxy } from 'unpdf';
import { invoicePdfs } from '../../src/invoices/invoice-pdf.ts';
import type { InvoiceDoc } from '../../src/store/collections.ts';
import { scriptedCatalog } from '../../stage/scripted-chain.ts';
import { textsOfPages } from '../letters/support/shop.ts';
import { invoice } from '../store/support/documents.ts';

const pdfOf = invoicePdfs({ catalog: scriptedCatalog(), pages: { current: async () => ({ texts: textsOfPages() }) } });

async function read(language: string, change: Partial<InvoiceDoc> = {}, creditNotes: InvoiceDoc[] = []) {
  const { name, bytes } = await pdfOf({ invoice: invoice(change), creditNotes }, language);
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false });
  return { name, bytes, pages: text.map((page) => page.replaceAll(/\s+/g, ' ')) };
}

const RATE = { currency: 'EUR', rate: '0.92', source: 'rates.example.com', at: '2030-01-15T10:00:00.000Z' };

describe('an invoice as PDF', () => {
  it('has number, seller, customer, lines, tax, total, value and transaction', async () => {
    const { name, pages } = await read('en', { rate: RATE });
    expect(name).toBe('TEST-2030-0001.pdf');
    const [page = ''] = pages;
    for (const text of [
      ...['Acme GmbH', 'Main Street 1', 'Germany', 'Tax number DE123', 'Invoice', 'TEST-2030-0001', 'January 15, 2030'],
      ...['Pro', '10.00 USDC', '8.403361 USDC', 'Tax, 19 %', '1.596639 USDC', '0xaa', 'Test mode'],
      '9.20 EUR, of which 1.47 EUR is tax, at 0.92 EUR for 1 USDC (rates.example.com, January 15, 2030',
    ])
      expect(page).toContain(text);
  });

  it('shows net lines with the tax below where the merchant wants that, and the same total', async () => {
    const [page = ''] = (await read('en', { isTaxIncluded: false })).pages;
    expect(page).toMatch(/Pro 8\.403361 USDC.*Without tax 8\.403361 USDC.*Tax, 19 % 1\.596639 USDC.*Paid 10\.00 USDC/);
  });

  it('has the days of its period where the merchant is', async () => {
    const period = { from: '2030-01-14T12:00:00.000Z', to: '2030-02-14T12:00:00.000Z' };
    const texts = (timeZone?: string) => read('en', { period, ...(timeZone === undefined ? {} : { timeZone }) });
    expect((await texts('Pacific/Auckland')).pages[0]).toContain('Period January 15, 2030 to February 15, 2030');
    expect((await texts()).pages[0]).toContain('Period January 14, 2030 to February 14, 2030');
  });

  it('has each credit note on a page of its own', async () => {
    const note = invoice({
      number: 2,
      corrects: 'TEST-2030-0001',
      lines: [{ kind: 'refund', name: 'Pro', quantity: null, net: '1', tax: '0' }],
    });
    const { pages } = await read('en', {}, [note]);
    expect(pages).toHaveLength(2);
    expect(pages[1]).toMatch(/Credit note.*TEST-2030-0002.*Corrects the invoice TEST-2030-0001.*Refunded: Pro/);
  });

  it.each([
    ['de', 'Rechnung', '15. Januar 2030'],
    ['es', 'Factura', '15 de enero de 2030'],
    ['ja', '請求書', '2030年1月15日'],
  ])('speaks %s', async (language, title, date) => {
    const [page = ''] = (await read(language)).pages;
    expect(page).toContain(title);
    expect(page).toContain(date);
  });

  it('writes names of 200 letters, in Arabic and Japanese, and names signs that no font has', async () => {
    const long = 'Ä'.repeat(200);
    const [page = ''] = (
      await read('en', {
        seller: { name: long, address: '東京都千代田区1-1', country: 'JP', taxId: null },
        customer: { name: '\u{1F600} 株式会社', address: null, country: 'XX', taxId: null },
      })
    ).pages;
    expect(page.replaceAll(' ', '')).toContain(long);
    for (const text of ['東京都千代田区1-1', 'Japan', '[U+1F600] 株式会社']) expect(page).toContain(text);
  });

  it('writes an address as it is read, on an Arabic page too', async () => {
    const place = { name: '3 Ships', address: '20457 Hamburg', country: 'DE', taxId: '12 AB' };
    const lines = [{ kind: 'sale' as const, name: '10 GB', quantity: null, net: '1', tax: '0' }];
    const [page = ''] = (await read('ar', { seller: place, customer: place, lines })).pages;
    for (const text of ['3 Ships', '20457 Hamburg', '10 GB', '12 AB']) expect(page).toContain(text);
  });

  it('shapes and orders Arabic: letters are joined, and an Arabic page begins at the right', async () => {
    const name = 'شركة المثال';
    const { bytes } = await pdfOf(
      { invoice: invoice({ seller: { ...invoice().seller, name } }), creditNotes: [] },
      'ar',
    );
    const document = await getDocumentProxy(new Uint8Array(bytes));
    const { items } = await (await document.getPage(1)).getTextContent();
    const shown = items.flatMap((item) => ('str' in item ? [item] : []));
    const seller = shown.find(({ str }) => str.includes('المثال') || str.includes('لاثملا'));
    expect(seller?.transform[4]).toBeGreaterThan(400);
    expect(shown.some(({ str }) => str.includes('\u0634'))).toBe(true);
  });
});
