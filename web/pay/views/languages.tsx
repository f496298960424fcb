import { LANGUAGES } from '../../i18n/languages.ts';
import { addressIn } from '../../i18n/page-language.ts';
import { say } from '../../i18n/say.ts';

/** The same page in the other languages. */
export function Languages() {
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
