import { mountForPayers } from '../pay/mount.tsx';
import { AuthorizePage } from './authorize-page.tsx';

void mountForPayers(<AuthorizePage token={decodeURIComponent(location.pathname.split('/').at(-1) ?? '')} />);
