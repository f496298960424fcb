import { mount } from '../ui/mount.tsx';
import '../pay/pay.css';
import { AuthorizePage } from './authorize-page.tsx';

mount(<AuthorizePage token={decodeURIComponent(location.pathname.split('/').at(-1) ?? '')} />);
