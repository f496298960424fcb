import { mountForPayers } from '../pay/mount.tsx';
import './portal.css';
import { PortalPage } from './portal-page.tsx';

void mountForPayers(<PortalPage />);
