import { mountForPayers } from '../pay/mount.tsx';
import { CheckoutPage, loadFirst } from './checkout-page.tsx';

const offerId = decodeURIComponent(location.pathname.split('/').at(-1) ?? '');
void loadFirst(offerId).then((first) => mountForPayers(<CheckoutPage offerId={offerId} first={first} />));
