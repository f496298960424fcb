import '../ui/theme.css';
import '../ui/components.css';
import './docs.css';

/** A button at each sample that copies it. */
function showCopyButtons(): void {
  // The clipboard exists on https and on this machine alone.
  if (navigator.clipboard === undefined) return;
  for (const sample of document.querySelectorAll('.sample')) sample.prepend(copyButton(sample));
}

function copyButton(sample: Element): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button button-small copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(sample.querySelector('pre')?.textContent ?? '');
    button.textContent = 'Copied';
    document.querySelector('#status')?.replaceChildren('Copied');
  });
  return button;
}

const KEY = 'tideline-docs-language';

/** CSS shows the samples of the chosen language; this keeps the choice for the next page. */
function rememberLanguage(): void {
  const radios = [...document.querySelectorAll<HTMLInputElement>('input[name=language]')];
  const kept = stored();
  for (const radio of radios) {
    if (radio.value === kept) radio.checked = true;
    radio.addEventListener('change', () => store(radio.value));
  }
}

/** A browser may forbid storage. */
function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function store(language: string): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // The choice holds for this page.
  }
}

/** The search field filters the contents as one types, and Enter goes to the first entry that is left. */
function startSearch(contents: Element | null): void {
  const field = document.querySelector('#search');
  const status = document.querySelector('#status');
  if (!(field instanceof HTMLInputElement) || !(contents instanceof HTMLDetailsElement) || status === null) return;
  const rows = [...contents.querySelectorAll('li')];
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every((word) => row.dataset['words']?.includes(word));
    for (const group of contents.querySelectorAll<HTMLElement>('.side-group')) {
      group.hidden = group.querySelector('li:not([hidden])') === null;
    }
    if (field.value !== '') contents.open = true;
    status.textContent = `${rows.filter((row) => !row.hidden).length} found`;
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || field.value === '') return;
    contents.querySelector<HTMLElement>('li:not([hidden]) a')?.click();
  });
}

// The server has written the page; scripts add only what needs them.
const contents = document.querySelector('nav details');
const isNarrow = window.matchMedia('(max-width: 56rem)').matches;
if (contents instanceof HTMLDetailsElement && isNarrow) contents.open = false;
startSearch(contents);
rememberLanguage();
showCopyButtons();
