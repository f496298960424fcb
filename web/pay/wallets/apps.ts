import type { ChainFamily } from '../../../src/checkout/wire.ts';

export interface WalletApp {
  readonly name: string;
  /** Opens a page in the app's own browser, or says where the app is to be had. */
  readonly href: string;
}

/** Apps of the coin types of SLIP-44, for Trust Wallet. */
const COIN: { readonly [F in ChainFamily]: number } = { evm: 60, solana: 501 };

/**
 * Links that open `url` in the browsers of wallet apps, in the forms that their documents give. Rainbow is missing: its
 * links carry WalletConnect alone.
 */
export function walletApps(family: ChainFamily, url: string): readonly WalletApp[] {
  const encoded = encodeURIComponent(url);
  const origin = encodeURIComponent(new URL(url).origin);
  const phantom = { name: 'Phantom', href: `https://phantom.app/ul/browse/${encoded}?ref=${origin}` };
  // MetaMask takes the address as it is, without its scheme.
  const metaMask = { name: 'MetaMask', href: `https://link.metamask.io/dapp/${url.replace(/^https?:\/\//, '')}` };
  const others = [
    { name: 'Coinbase Wallet', href: `https://go.cb-w.com/dapp?cb_url=${encoded}` },
    { name: 'Trust Wallet', href: `https://link.trustwallet.com/open_url?coin_id=${COIN[family]}&url=${encoded}` },
  ];
  return family === 'solana' ? [phantom, metaMask, ...others] : [metaMask, ...others, phantom];
}

/**
 * Links that hand a code of WalletConnect to wallet apps. The first leaves the choice to the phone; Phantom takes none.
 */
export function pairingApps(uri: string): readonly (Omit<WalletApp, 'name'> & { readonly name: string | null })[] {
  const encoded = encodeURIComponent(uri);
  return [
    { name: null, href: uri },
    { name: 'MetaMask', href: `https://link.metamask.io/wc?uri=${encoded}` },
    { name: 'Trust Wallet', href: `https://link.trustwallet.com/wc?uri=${encoded}` },
    { name: 'Rainbow', href: `https://rnbwapp.com/wc?uri=${encoded}` },
  ];
}
