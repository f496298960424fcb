import { monthly, offerBody } from '../support/bodies.ts';
import { idOf, startHttp } from '../support/http.ts';

const http = await startHttp();
const { testKey } = await http.merchant();
const body = offerBody({ description: null, pricing: [monthly({ trialDays: 14 })] });
const path = `/checkout/${idOf(await http.call('POST', '/offers', { key: testKey, body }))}`;

async function shell(query: string, acceptLanguage?: string, at = path) {
  const headers = {
    Accept: 'text/html',
    ...(acceptLanguage === undefined ? {} : { 'Accept-Language': acceptLanguage }),
  };
  const { body, headers: answered } = await http.send('GET', `${at}${query}`, { headers });
  const page = String(body);
  const [, lang, dir] = /<html lang="([\w-]+)" dir="(\w+)"/.exec(page) ?? [];
  return { page, shown: [lang, dir], vary: answered.get('vary') };
}

describe('the language of a page for payers', () => {
  it.each([
    ['', undefined, 'en'],
    ['', 'de-CH,de;q=0.9,en;q=0.8', 'de'],
    ['', 'tlh, fr;q=0.8, de;q=0.1', 'de'],
    ['', 'en-GB, de;q=0.9', 'en'],
    ['', 'tlh', 'en'],
    ['?lang=de', 'en', 'de'],
    ['?lang=tlh', 'de', 'de'],
    ['?lang=../../package', 'en', 'en'],
    ['', 'ja-JP', 'ja'],
    ['?lang=es', 'ja', 'es'],
    ['', 'ar-EG', 'ar', 'rtl'],
  ])('with %j in the address, to a reader of %s, is %s', async (query, accepted, lang, direction = 'ltr') => {
    const { shown, vary } = await shell(query, accepted);
    expect([shown, vary]).toEqual([[lang, direction], 'Accept-Language']);
  });

  it('is also that of the texts which the service writes, and its catalog is loaded early', async () => {
    const { page } = await shell('?lang=de');
    expect(page).toMatch(/<meta property="og:description" content="9,90 USD jeden Monat, [^"]*14 Tage[^"]*">/);
    expect(page).toContain('<strong class="number">9,90 USD jeden Monat</strong>');
    expect(page).toContain('Diese Seite benötigt JavaScript');
    expect(page).toMatch(/<link rel="modulepreload" href="\.\.\/assets\/de-[\w-]{8}\.js">/);
  });

  it.each([
    ['/checkout/offer_x', 'Diese Adresse funktioniert nicht', '<a href="?lang=ja" lang="ja" hreflang="ja">日本語</a>'],
    ['/portal', 'Ihre Abonnements', '<noscript><p>Diese Seite benötigt JavaScript.</p></noscript>'],
  ])('is that of the title of %s', async (at, title, part) => {
    const { page } = await shell('', 'de', at);
    expect(page).toContain(`<title>${title}</title>`);
    expect(page).toContain(part);
  });

  it('stays English on the pages of merchants and staff', async () => {
    for (const at of ['/dashboard', '/staff']) expect((await shell('?lang=de', 'de', at)).shown).toEqual(['en', 'ltr']);
  });
});
