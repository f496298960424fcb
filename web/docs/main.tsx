import '../ui/theme.css';
import '../ui/components.css';
import './docs.css';
import type { DashboardSessionState } from '../../src/dashboard/wire.ts';
import { callApi, serviceUrl } from '../ui/api.ts';
import { copyText } from '../ui/copy-text.ts';
import { button, element } from './element.ts';
import { putFreshValues, putOwnIds } from './own-ids.ts';
import { type Heading, search } from './search.ts';
import { offerToTry } from './try-it.ts';

/** A button at each sample that copies it. */
function showCopyButtons(): void {
  // The clipboard exists on https and on this machine alone.
  if (navigator.clipboard === undefined) return;
  for (const sample of document.querySelectorAll('.sample')) {
    const copy = button('Copy', async () => {
      if (!(await copyText(sample.querySelector('pre')?.textContent ?? ''))) return;
      copy.textContent = 'Copied';
      announce('Copied');
    });
    sample.prepend(copy);
  }
}

function announce(text: string): void {
  document.querySelector('#status')?.replaceChildren(text);
}

const KEY = 'tideline-docs-language';

/** CSS shows the samples of the chosen language; this keeps the choice for the next page, if the browser allows it. */
async function rememberLanguage(): Promise<void> {
  const storage = localStorage;
  for (const radio of document.querySelectorAll<HTMLInputElement>('input[name=language]')) {
    if (radio.value === storage.getItem(KEY)) radio.checked = true;
    radio.addEventListener('change', () => storage.setItem(KEY, radio.value));
  }
}

let asked: Promise<readonly Heading[]> | null = null;

/** Of all pages; loaded once, when they are needed. After a failure the next call tries again. */
function headings(): Promise<readonly Heading[]> {
  asked ??= callApi<readonly Heading[]>('/docs/search.json').catch((error: unknown) => {
    asked = null;
    throw error;
  });
  return asked;
}

const SHOWN = 20;

/** What the search finds stands above the contents as one types, and Enter goes to the first of it. */
function startSearch(): void {
  const [field, box] = [document.querySelector('#search'), document.querySelector('#found')];
  if (!(field instanceof HTMLInputElement) || box === null) return;
  field.addEventListener('focus', () => void headings());
  field.addEventListener('input', async () => {
    const found = search(await headings(), field.value);
    const isSearch = field.value.trim() !== '';
    contents?.toggleAttribute('hidden', isSearch);
    box.replaceChildren(...(isSearch ? results(found, field.value) : []));
    announce(isSearch ? `${found.length} found` : '');
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') box.querySelector('a')?.click();
  });
}

function results(found: readonly Heading[], query: string): readonly (Node | string)[] {
  if (found.length === 0) {
    const all = element('a', { href: serviceUrl('/docs#all-calls-and-events') }, 'all calls and events');
    return [`Nothing found for “${query}”. Try another word, or look through `, all, '.'];
  }
  const rows = found.slice(0, SHOWN).map(({ path, title, page }) => {
    const where = element('span', { className: 'soft small' }, page);
    return element('li', {}, element('a', { href: serviceUrl(`/${path}`) }, title, element('br', {}), where));
  });
  return [element('ul', {}, ...rows)];
}

/** The reference was one page: its headings are on other ones now, and links to them stay. */
async function followOldLink(): Promise<void> {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id === '' || document.getElementById(id) !== null) return;
  const home = (await headings()).find((heading) => heading.id === id);
  if (home !== undefined) location.replace(serviceUrl(`/${home.path.replace(/#.*/, '')}#${id}`));
}

/** Samples with values of the reader, and a button that makes their call. */
async function makeSamplesOwn(): Promise<void> {
  const samples = [...document.querySelectorAll('.samples :is(.language-sh, .language-ts)')];
  if (samples.length === 0) return;
  putFreshValues(samples);
  const { session } = await callApi<DashboardSessionState>('/dashboard/api/session');
  if (session !== null) await putOwnIds(samples);
  for (const own of document.querySelectorAll('.samples:not([data-role=none])')) offerToTry(own, session);
}

// The server has written the page; scripts add only what needs them.
const contents = document.querySelector('nav details');
const isNarrow = window.matchMedia('(max-width: 56rem)').matches;
if (contents instanceof HTMLDetailsElement && isNarrow) contents.open = false;
startSearch();
showCopyButtons();
await Promise.allSettled([rememberLanguage(), followOldLink(), makeSamplesOwn()]);
document.documentElement.dataset['ready'] = '';
