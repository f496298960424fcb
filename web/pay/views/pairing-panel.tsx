import type { ComponentChild } from 'preact';
import { say, sayRich } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { isPhone } from '../is-phone.ts';
import { pairingApps } from '../wallets/apps.ts';
import type { Pairing } from '../wallets/pairing.ts';
import { Copy } from './copy.tsx';

/** The code by which a wallet on another device connects, or in an app of this phone; nothing while there is none. */
export function PairingPanel({ pairing, onCancel }: { readonly pairing: Pairing; readonly onCancel: () => void }) {
  const uri = useSelector(pairing.store, (shown) => shown.uri);
  const cancel = () => {
    onCancel();
    pairing.cancel();
  };
  return (
    <StatusRegion>
      {uri !== null && (
        <Notice title={say('pairing.title')} isInRegion>
          {isPhone() ? <Apps uri={uri} /> : <Code uri={uri} />}
          <p class="small soft">{say('pairing.text')}</p>
          <div class="row">
            <Copy what="link" text={uri} />
            <Button size="small" variant="quiet" onClick={cancel}>
              {say('pairing.cancel')}
            </Button>
          </div>
        </Notice>
      )}
    </StatusRegion>
  );
}

/** Without the app, its address opens a website, and this page has to stay for the connection. */
const NEW_TAB = { target: '_blank', rel: 'noopener' };

function Apps({ uri }: { readonly uri: string }) {
  return (
    <>
      <p>{say('pairing.open_app')}</p>
      <ul class="plain-list stack-tight wallet-apps" data-part="pairing-apps">
        {pairingApps(uri).map(({ name, href }) => (
          <li key={href}>
            <a class="button" href={href} {...(name === null ? {} : NEW_TAB)}>
              {name === null ? say('pairing.open_any') : say('pairing.open', { app: name })}
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
      <p>{sayRich<ComponentChild>('pairing.scan', { link: (parts) => <a href={uri}>{parts}</a> })}</p>
      <QrCode text={uri} label={say('pairing.code')} />
    </>
  );
}
