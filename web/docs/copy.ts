/** A button at each sample that copies it. */
export function showCopyButtons(): void {
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
