import { mount } from '../ui/mount.tsx';
import '../pay/pay.css';
import './portal.css';
import { PortalPage } from './portal-page.tsx';

mount(<PortalPage />);
