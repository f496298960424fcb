import '../ui/theme.css';
import '../ui/components.css';
import './docs.css';
import { showCopyButtons } from './copy.ts';
import { rememberLanguage } from './language.ts';
import { startSearch } from './search.ts';

// The server has written the page; scripts add only what needs them.
const contents = document.querySelector('nav details');
const isNarrow = window.matchMedia('(max-width: 56rem)').matches;
if (contents instanceof HTMLDetailsElement && isNarrow) contents.open = false;
startSearch(contents);
rememberLanguage();
showCopyButtons();
