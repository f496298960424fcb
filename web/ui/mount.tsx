import './theme.css';
import './components.css';
import { type ComponentChild, render } from 'preact';
import { keepFocus } from './keep-focus.ts';
import { Toasts } from './toast.tsx';

/** Puts a page into its shell. */
export function mount(page: ComponentChild): void {
  const place = document.getElementById('app');
  if (place === null) throw new Error('the shell has no #app');
  keepFocus(place);
  render(
    <>
      {page}
      <Toasts />
    </>,
    place,
  );
}
