import { IntlMessageFormat } from 'intl-messageformat';
import type { Page } from 'playwright-core';

/*
 * A language that nobody speaks: English with accents, in brackets, and longer by about 40 % as texts in other
 * languages are. Text without accents on a page in it is not translated. It is made here, and no build has it.
 */

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = 'áƀćđéƒǵĥíĵķĺɱńóþɋŕšţúṽŵẋýžÁƁĆĐÉƑǴĤÍĴĶĹḾŃÓÞɊŔŠŢÚṼŴẊÝŽ';

type Element = ReturnType<IntlMessageFormat['getAst']>[number];

function pseudoCatalog(catalog: { readonly [key: string]: string }): { [key: string]: string } {
  return Object.fromEntries(Object.entries(catalog).map(([key, text]) => [key, pseudo(text)]));
}

function pseudo(text: string): string {
  const ast = new IntlMessageFormat(text, 'en').getAst();
  return `[${printed(ast)}${'·'.repeat(Math.ceil(text.length * 0.4))}]`;
}

function printed(elements: readonly Element[]): string {
  return elements.map(print).join('');
}

/** Inserted values have marks, because they are not accented. */
function print(element: Element): string {
  if ('children' in element) return `<${element.value}>${printed(element.children)}</${element.value}>`;
  if ('offset' in element) {
    const forms = Object.entries(element.options).map(([form, { value }]) => `${form} {${printed(value)}}`);
    return `{${element.value}, plural, ${forms.join(' ')}}`;
  }
  if (!('value' in element)) return '#';
  return element.type === 0 ? accented(element.value) : `⟦{${element.value}}⟧`;
}

function accented(text: string): string {
  return [...text].map((letter) => [...ACCENTED][PLAIN.indexOf(letter)] ?? letter).join('');
}

/** Serves the texts in place of the English ones. */
export async function speakPseudo(page: Page, catalog: { readonly [key: string]: string }): Promise<void> {
  const body = `export default ${JSON.stringify(pseudoCatalog(catalog))}`;
  await page.route(/\/assets\/en-[\w-]+\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body }));
}

/**
 * A string, because tests are not type-checked as code of a browser. Names, code, and texts in a language of their own
 * are left out.
 */
const SHOWN = `(() => {
  const isOwn = (element) => element.closest('bdi, code, .code, pre, script, style, option, [dir=auto], body [lang]') === null;
  const shown = [...document.querySelectorAll('body *')].filter((element) => isOwn(element) && element.checkVisibility());
  const texts = shown.flatMap((element) => [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE));
  const read = ['aria-label', 'alt', 'placeholder'].flatMap((name) => shown.map((element) => element.getAttribute(name) ?? ''));
  return [...texts.map(({ textContent }) => textContent), ...read];
})()`;

/** What people can read on the page although no catalog has it. Amounts and dates are not words. */
export async function untranslated(page: Page): Promise<string[]> {
  const texts: string[] = await page.evaluate(SHOWN);
  return texts.filter((text) => /[A-Za-z]{2}/.test(withoutValues(text)));
}

function withoutValues(text: string): string {
  const rest = text
    .replaceAll(/⟦[^⟦⟧]*⟧/g, '')
    .replaceAll(/\d[\d.,]* [A-Z]{3,5}\b/g, '')
    .replaceAll(/\b[A-Z][a-z]+ \d{1,2}, \d{4}\b/g, '');
  return rest === text ? rest : withoutValues(rest);
}
