import { mount } from '../ui/mount.tsx';
import './dashboard.css';
import './shop.css';
import { Dashboard } from './dashboard.tsx';

mount(<Dashboard />);
