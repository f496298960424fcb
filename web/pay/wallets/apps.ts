import type { ChainFamily } from '../../../src/checkout/wire.ts';

export interface WalletApp {
  readonly name: string;
  /** Opens a page in the app's own browser, or says where the app is to be had. */
  readonly href: string;
}

/** Where their makers offer wallets. */
export const WALLET_SITES: readonly WalletApp[] = [
  { name: 'MetaMask', href: 'https://metamask.io/download' },
  { name: 'Coinbase Wallet', href: 'https://www.coinbase.com/wallet/downloads' },
  { name: 'Trust Wallet', href: 'https://trustwallet.com/download' },
  { name: 'Phantom', href: 'https://phantom.com/download' },
];

/** Apps of the coin types of SLIP-44, for Trust Wallet. */
const COIN: { readonly [F in ChainFamily]: number } = { evm: 60, solana: 501 };

/**
 * Links that open `url` in the browsers of wallet apps, in the forms that their documents give. Rainbow is missing: its
 * links carry WalletConnect alone.
 */
export function walletApps(family: ChainFamily, url: string): readonly WalletApp[] {
  const { encoded, origin } = encodedIn(url);
  const phantom = { name: 'Phantom', href: `https://phantom.app/ul/browse/${encoded}?ref=${origin}` };
  // MetaMask takes the address as it is, without its scheme.
  const metaMask = { name: 'MetaMask', href: `https://link.metamask.io/dapp/${url.replace(/^https?:\/\//, '')}` };
  const others = [
    { name: 'Coinbase Wallet', href: `https://go.cb-w.com/dapp?cb_url=${encoded}` },
    { name: 'Trust Wallet', href: `https://link.trustwallet.com/open_url?coin_id=${COIN[family]}&url=${encoded}` },
  ];
  return family === 'solana' ? [phantom, metaMask, ...others] : [metaMask, ...others, phantom];
}

/** The same for apps that fewer people have. */
export function otherApps(family: ChainFamily, url: string): readonly WalletApp[] {
  const { encoded, origin } = encodedIn(url);
  const inOkx = encodeURIComponent(`okx://wallet/dapp/url?dappUrl=${encoded}`);
  return [
    { name: 'OKX Wallet', href: `https://web3.okx.com/download?deeplink=${inOkx}` },
    family === 'solana'
      ? { name: 'Solflare', href: `https://solflare.com/ul/v1/browse/${encoded}?ref=${origin}` }
      : { name: 'imToken', href: `imtokenv2://navigate/DappView?url=${encoded}` },
  ];
}

function encodedIn(url: string) {
  return { encoded: encodeURIComponent(url), origin: encodeURIComponent(new URL(url).origin) };
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
