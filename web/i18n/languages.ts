import type { Catalog } from './say.ts';

/** A language of the payer's pages. */
export interface PageLanguage {
  /** In the language itself. */
  readonly name: string;
  /** Its texts, which are loaded when a page needs them. */
  readonly texts: () => Promise<{ readonly default: Catalog }>;
}

/** By the tag of the language. Each has a file in `web/messages/`, which the service finds by its name. */
export const LANGUAGES: { readonly [language: string]: PageLanguage } = {
  ar: { name: 'العربية', texts: () => import('../messages/ar.json', { with: { type: 'json' } }) },
  de: { name: 'Deutsch', texts: () => import('../messages/de.json', { with: { type: 'json' } }) },
  en: { name: 'English', texts: () => import('../messages/en.json', { with: { type: 'json' } }) },
  es: { name: 'Español', texts: () => import('../messages/es.json', { with: { type: 'json' } }) },
  ja: { name: '日本語', texts: () => import('../messages/ja.json', { with: { type: 'json' } }) },
};
