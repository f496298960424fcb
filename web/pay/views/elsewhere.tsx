import { useState } from 'preact/hooks';
import type { ChainFamily } from '../../../src/checkout/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { isPhone } from '../is-phone.ts';
import { walletApps } from '../wallets/apps.ts';

export interface ElsewhereProps {
  readonly family: ChainFamily;
  /** Of this very page and session, for another browser. */
  readonly url: string;
  /** The payer goes on in another browser, and may come back. */
  readonly onLeave: () => void;
  /** What the visitor is here for; absent: to pay. */
  readonly purpose?: 'sign in';
}

/** For a browser without a wallet: on a phone the wallet apps, elsewhere a code for the phone. */
export function Elsewhere(props: ElsewhereProps) {
  return (
    <Notice title="No wallet was found in this browser">
      {isPhone() ? <WalletApps {...props} /> : <OnYourPhone {...props} />}
    </Notice>
  );
}

/** An embedded checkout leaves its frame, because wallets need the page itself. */
function WalletApps({ family, url, onLeave, purpose }: ElsewhereProps) {
  return (
    <>
      <p>Open this page in your wallet app, and {purpose ?? 'pay'} there:</p>
      <ul class="wallet-apps" data-part="wallet-apps">
        {walletApps(family, url).map(({ name, href }) => (
          <li key={name}>
            <a class="button" href={href} target="_blank" rel="noopener" onClick={onLeave}>
              Open in {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function OnYourPhone({ url, onLeave, purpose }: ElsewhereProps) {
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setOpen(true);
    onLeave();
  };
  return (
    <>
      <p>Install one as a browser extension and reload this page, or continue on the phone that has your wallet.</p>
      {isOpen ? (
        <>
          <p>Scan this code with your phone.{purpose === undefined && ' This page shows when you have paid.'}</p>
          <QrCode text={url} label="QR code of this page" />
        </>
      ) : (
        <Button onClick={open}>Continue on your phone</Button>
      )}
    </>
  );
}
