import { loadLanguage } from '../i18n/page-language.ts';
import { mount } from '../ui/mount.tsx';
// After the styles of every page, which it refines.
import './dashboard.css';
import { Dashboard } from './dashboard.tsx';

await loadLanguage();
mount(<Dashboard />);
