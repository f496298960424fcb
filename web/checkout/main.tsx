import { mount } from '../ui/mount.tsx';
import '../pay/pay.css';
import { CheckoutPage } from './checkout-page.tsx';

mount(<CheckoutPage offerId={decodeURIComponent(location.pathname.split('/').at(-1) ?? '')} />);
