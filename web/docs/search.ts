/** The search field filters the contents as one types, and Enter goes to the first entry that is left. */
export function startSearch(contents: Element | null): void {
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
