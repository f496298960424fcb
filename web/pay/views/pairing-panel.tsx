import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { StatusRegion } from '../../ui/status-region.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { isPhone } from '../is-phone.ts';
import { pairingApps } from '../wallets/apps.ts';
import type { Pairing } from '../wallets/pairing.ts';
import { Copy } from './copy.tsx';

export interface PairingPanelProps {
  readonly pairing: Pairing;
  /** The payer does not want to connect any more. */
  readonly onCancel: () => void;
}

/** The code by which a wallet on another device connects, or in an app of this phone; nothing while there is none. */
export function PairingPanel({ pairing, onCancel }: PairingPanelProps) {
  const uri = useSelector(pairing.store, (shown) => shown.uri);
  const cancel = () => {
    onCancel();
    pairing.cancel();
  };
  return (
    <StatusRegion>
      {uri !== null && (
        <Notice title="Connect your wallet" isInRegion>
          {isPhone() ? <Apps uri={uri} /> : <Code uri={uri} />}
          <p class="small soft">
            The code works for five minutes. The page goes on by itself when your wallet has connected. Requests for a
            signature then appear in the wallet.
          </p>
          <div class="row">
            <Copy what="link" text={uri} />
            <Button size="small" variant="quiet" onClick={cancel}>
              Cancel
            </Button>
          </div>
        </Notice>
      )}
    </StatusRegion>
  );
}

function Apps({ uri }: { readonly uri: string }) {
  return (
    <>
      <p>Open your wallet app and allow the connection there. Then come back to this page.</p>
      <ul class="wallet-apps" data-part="pairing-apps">
        {pairingApps(uri).map(({ name, href }) => (
          <li key={name}>
            <a class="button" href={href}>
              Open {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function Code({ uri }: { readonly uri: string }) {
  return (
    <>
      <p>
        Scan this code with your wallet app, paste its link there, or <a href={uri}>open a wallet on this computer</a>.
        Then allow the connection.
      </p>
      <QrCode text={uri} label="QR code of WalletConnect" />
    </>
  );
}
