import './dashboard.css';
import { loadLanguage } from '../i18n/page-language.ts';
import { mount } from '../ui/mount.tsx';
import { Dashboard } from './dashboard.tsx';

await loadLanguage();
mount(<Dashboard />);
