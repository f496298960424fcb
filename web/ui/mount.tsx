import './theme.css';
import './components.css';
import { type ComponentChild, options, render } from 'preact';
import { keepFocus } from './keep-focus.ts';
import { Toasts } from './notice.tsx';
import { ownText } from './own-text.ts';

// At once, because a page makes its first elements before it is mounted.
options.vnode = ownText;

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
