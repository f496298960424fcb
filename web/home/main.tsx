import './home.css';
import { mount } from '../ui/mount.tsx';
import { HomePage } from './home-page.tsx';

mount(<HomePage />);
