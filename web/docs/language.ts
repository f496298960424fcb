const KEY = 'tideline-docs-language';

/** CSS shows the samples of the chosen language; this keeps the choice for the next page. */
export function rememberLanguage(): void {
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
