import { mountForPayers } from '../pay/mount.tsx';
import { PortalPage } from './portal-page.tsx';

void mountForPayers(<PortalPage />);
