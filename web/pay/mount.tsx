import './pay.css';
import type { ComponentChild } from 'preact';
import { loadLanguage } from '../i18n/page-language.ts';
import { mount } from '../ui/mount.tsx';
import { Languages } from './views/languages.tsx';

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
