import { useState } from 'preact/hooks';
import type { ChainFamily } from '../../../src/checkout/wire.ts';
import { say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { isPhone } from '../is-phone.ts';
import { walletApps } from '../wallets/apps.ts';

export interface ElsewhereProps {
  readonly family: ChainFamily;
  /** Of this very page and session, for another browser. */
  readonly url: string;
  /** The payer continues in another browser, and may come back. */
  readonly onLeave: () => void;
  /** What the visitor is here for; absent: to pay. */
  readonly purpose?: 'sign_in';
}

/** For a browser without a wallet: on a phone the wallet apps, elsewhere a code for the phone. */
export function Elsewhere(props: ElsewhereProps) {
  return (
    <Notice title={say('wallet.none')}>{isPhone() ? <WalletApps {...props} /> : <OnYourPhone {...props} />}</Notice>
  );
}

/** An embedded checkout leaves its frame, because wallets need the page itself. */
function WalletApps({ family, url, onLeave, purpose }: ElsewhereProps) {
  return (
    <>
      <p>{say(`wallet.open_app_to_${purpose ?? 'pay'}`)}</p>
      <ul class="plain-list wallet-apps" data-part="wallet-apps">
        {walletApps(family, url).map(({ name, href }) => (
          <li key={name}>
            <a class="button" href={href} target="_blank" rel="noopener" onClick={onLeave}>
              {say('wallet.open_in_app', { app: name })}
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
      <p>{say('wallet.install')}</p>
      {isOpen ? (
        <>
          <p>{say(`wallet.scan_to_${purpose ?? 'pay'}`)}</p>
          <QrCode text={url} label={say('wallet.code')} />
        </>
      ) : (
        <Button onClick={open}>{say('wallet.on_phone')}</Button>
      )}
    </>
  );
}
