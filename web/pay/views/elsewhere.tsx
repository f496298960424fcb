import { useState } from 'preact/hooks';
import type { ChainFamily } from '../../../src/checkout/wire.ts';
import { say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { isPhone } from '../is-phone.ts';
import { otherApps, WALLET_SITES, type WalletApp, walletApps } from '../wallets/apps.ts';
import { Copy } from './copy.tsx';

export interface ElsewhereProps {
  readonly family: ChainFamily;
  /** Of this very page and session, for another browser. */
  readonly url: string;
  /** The payer continues in another browser, and may come back. */
  readonly onLeave: () => void;
  /** What a new wallet needs to pay here; null: the visitor signs in with a wallet that has paid. */
  readonly needs: { readonly ticker: string; readonly network: string } | null;
}

/** For a browser without a wallet: on a phone the wallet apps, elsewhere a code for the phone; then help. */
export function Elsewhere(props: ElsewhereProps) {
  const { needs } = props;
  return (
    <Notice title={say('wallet.none')}>
      {isPhone() ? <OnThisPhone {...props} /> : <OnYourPhone {...props} />}
      {needs !== null && (
        <details>
          <summary>{say('wallet.have_none')}</summary>
          <p>{say('wallet.have_none_text', needs)}</p>
          <div class="row">
            {WALLET_SITES.map(({ name, href }) => (
              <a key={name} href={href} target="_blank" rel="noopener noreferrer">
                {name}
              </a>
            ))}
          </div>
        </details>
      )}
    </Notice>
  );
}

/** An embedded checkout leaves its frame, because wallets need the page itself. */
function OnThisPhone({ family, url, onLeave, needs }: ElsewhereProps) {
  return (
    <>
      <p>{say(needs === null ? 'wallet.open_app_to_sign_in' : 'wallet.open_app_to_pay')}</p>
      <Apps part="wallet-apps" apps={walletApps(family, url)} onLeave={onLeave} />
      <details>
        <summary>{say('wallet.other_app')}</summary>
        <div class="stack-tight">
          <p>{say('wallet.other_app_text')}</p>
          <Copy what="link" text={url} onCopied={onLeave} />
          <Apps part="other-apps" apps={otherApps(family, url)} onLeave={onLeave} />
        </div>
      </details>
    </>
  );
}

interface AppsProps extends Pick<ElsewhereProps, 'onLeave'> {
  readonly part: string;
  readonly apps: readonly WalletApp[];
}

function Apps({ part, apps, onLeave }: AppsProps) {
  return (
    <ul class="plain-list stack-tight wallet-apps" data-part={part}>
      {apps.map(({ name, href }) => (
        <li key={name}>
          <a class="button" href={href} target="_blank" rel="noopener" onClick={onLeave}>
            {say('wallet.open_in_app', { app: name })}
          </a>
        </li>
      ))}
    </ul>
  );
}

function OnYourPhone({ url, onLeave, needs }: ElsewhereProps) {
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setOpen(true);
    onLeave();
  };
  return (
    <>
      <p>{say('wallet.install')}</p>
      {isOpen ? (
        // It gets the focus of the button, and with it comes above the bar at the lower edge.
        <div class="stack-tight" data-step="" tabIndex={-1} ref={scrollIntoView}>
          <p>{say(needs === null ? 'wallet.scan_to_sign_in' : 'wallet.scan_to_pay')}</p>
          <QrCode text={url} label={say('wallet.code')} />
          <Copy what="link" text={url} />
        </div>
      ) : (
        <Button onClick={open}>{say('wallet.on_phone')}</Button>
      )}
    </>
  );
}

function scrollIntoView(part: HTMLElement | null): void {
  part?.scrollIntoView({ block: 'nearest' });
}
