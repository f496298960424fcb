import type { ComponentChild } from 'preact';
import { LANGUAGES } from '../i18n/languages.ts';
import { addressIn, loadLanguage } from '../i18n/page-language.ts';
import { say } from '../i18n/say.ts';
import { mount } from '../ui/mount.tsx';
// After the styles of every page, which it refines.
import './pay.css';

/** Puts a page for payers into its shell, in the language that the shell names, with a choice of the others. */
export async function mountForPayers(page: ComponentChild): Promise<void> {
  await loadLanguage();
  mount(
    <>
      {page}
      <Languages />
    </>,
  );
}

/** The same page in the other languages. */
function Languages() {
  const { lang } = document.documentElement;
  return (
    <footer class="page page-footer">
      <nav class="row small" aria-label={say('language.choose')}>
        {Object.entries(LANGUAGES).map(([tag, { name }]) =>
          tag === lang ? (
            <strong key={tag} lang={tag} aria-current="true">
              {name}
            </strong>
          ) : (
            <a
              key={tag}
              href={addressIn(tag)}
              lang={tag}
              hreflang={tag}
              // The session in the fragment may have changed since.
              onClick={({ currentTarget }) => currentTarget.setAttribute('href', addressIn(tag))}
            >
              {name}
            </a>
          ),
        )}
      </nav>
    </footer>
  );
}
