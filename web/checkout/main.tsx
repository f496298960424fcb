import { mountForPayers } from '../pay/mount.tsx';
import { CheckoutPage } from './checkout-page.tsx';

void mountForPayers(<CheckoutPage offerId={decodeURIComponent(location.pathname.split('/').at(-1) ?? '')} />);
