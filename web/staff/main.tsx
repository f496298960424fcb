import './staff.css';
import { mount } from '../ui/mount.tsx';
import { Console } from './console.tsx';

mount(<Console />);
