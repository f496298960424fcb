import { contrastOf } from '../../machines/rules/accent.ts';
import type { Content } from '../../src/letters/content.ts';
import { type Frame, rendered } from '../../src/letters/render.ts';
import { languageIn } from '../../src/pages/language.ts';
import { textsOfPages } from './support/shop.ts';

const EN = languageIn('en', textsOfPages());
const URL = 'https://pay.example.com/portal?lang=en&x="1"';

const CONTENT: Content = {
  subject: 'A receipt',
  texts: ['You have paid 9.90 USDC.'],
  facts: [['Amount', '9.90 USDC']],
  action: { text: 'Open your portal', url: URL },
};
const FRAME: Frame = {
  ...{ merchantName: 'Coffee Club', logoUrl: null, accentColor: null, banner: null },
  notes: [{ text: 'Sign in there:', link: { text: URL, url: URL } }],
};

describe('a letter', () => {
  it('has the same content as text and as HTML', () => {
    const { text, html } = rendered(CONTENT, FRAME, EN);
    for (const part of [
      'Coffee Club',
      'A receipt',
      'You have paid 9.90 USDC.',
      'Amount',
      'Open your portal',
      'Sign in',
    ])
      expect([part, text.includes(part), html.includes(part)]).toEqual([part, true, true]);
    expect(text).toContain(`Open your portal:\n${URL}`);
    expect(html).toContain('href="https://pay.example.com/portal?lang=en&amp;x=&quot;1&quot;"');
  });

  it('escapes whatever merchants and customers have typed, and loads nothing but the logo', () => {
    const evil = '<img src=x onerror=alert(1)>"\'&';
    const content = { ...CONTENT, subject: evil, texts: [evil], facts: [[evil, evil]] as const, action: null };
    const frame = { ...FRAME, merchantName: evil, logoUrl: 'https://pay.example.com/logos/logo_1', banner: evil };
    const { html } = rendered(content, { ...frame, notes: [{ text: evil, link: null }] }, EN);
    expect(html).not.toContain(evil);
    expect(html.match(/<img|onerror=alert\(1\)>|src="[^"]+"/g)).toEqual([
      '<img',
      'src="https://pay.example.com/logos/logo_1"',
    ]);
    expect(html).not.toMatch(/<script|<link|url\(/);
  });

  it('has a subject in one line, however long and wide its names are', () => {
    const { subject } = rendered({ ...CONTENT, subject: `${'👩‍🚀'.repeat(90)}\r\nBcc: x@y` }, FRAME, EN);
    expect([...subject].length).toBe(200);
    expect(subject).not.toMatch(/[\r\n]/);
  });

  it('says in its subject that it is of test mode', () => {
    expect(rendered(CONTENT, { ...FRAME, banner: 'Test' }, EN).subject).toBe('[Test mode] A receipt');
  });

  it.each(['#ffee88', '#000000', '#ffffff', '#ff0000'])(
    'can be read with the accent %s, in light and in dark',
    (accentColor) => {
      const { html } = rendered(CONTENT, { ...FRAME, accentColor }, EN);
      const [, ground = '', ink = ''] = /class="action"[^>]*background:(#\w{6});color:(#\w{6})/.exec(html) ?? [];
      const [, dark = '', onDark = ''] = /\.action\{background:(#\w{6})!important;color:(#\w{6})/.exec(html) ?? [];
      expect(contrastOf(ground, ink)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(dark, onDark)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('is read from right to left where its language is', () => {
    const arabic = languageIn('ar', textsOfPages());
    expect(rendered(CONTENT, FRAME, arabic).html).toContain('<html lang="ar" dir="rtl">');
    expect(arabic.money('9.90', 'USDC')).toBe('\u20689.90 USDC\u2069');
    // A text of values alone is read from right to left also inside of another text.
    expect(arabic.say('price.recurring', { price: '9.90 USDC', rhythm: '' })).toMatch(/^\u200f/);
    expect(languageIn('tlh', textsOfPages()).tag).toBe('en');
  });
});
