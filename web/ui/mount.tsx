import './theme.css';
import './components.css';
import { type ComponentChild, render } from 'preact';
import { keepFocus } from './keep-focus.ts';
import { Toasts } from './toast.tsx';

/** Puts a page into its shell. */
export function mount(page: ComponentChild): void {
  const root = document.getElementById('app');
  if (root === null) throw new Error('the shell has no #app');
  keepFocus(root);
  render(
    <>
      {page}
      <Toasts />
    </>,
    root,
  );
}
