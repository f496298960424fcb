import { useState } from 'preact/hooks';
import type { ChainFamily } from '../../../src/checkout/wire.ts';
import { inChosenLanguage } from '../../i18n/page-language.ts';
import { say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import type { WalletOption } from '../wallets/wallet.ts';
import { Elsewhere, type ElsewhereProps } from './elsewhere.tsx';
import { PairingPanel } from './pairing-panel.tsx';

export interface WalletPickerProps {
  readonly options: readonly WalletOption[];
  readonly busy: boolean;
  readonly onPick: (option: WalletOption) => void;
  /** The payer does not wait for the picked wallet any more. */
  readonly onCancel: () => void;
  /** What a browser without a wallet shows; null: nothing. */
  readonly elsewhere: ElsewhereProps | null;
}

/** The way to another browser from a page that asks for no payment. */
export function pageElsewhere(family: ChainFamily): ElsewhereProps {
  const url = inChosenLanguage(`${location.origin}${location.pathname}`);
  return { family, url, onLeave: () => {}, needs: null };
}

/** The wallets of this browser, or the ways to another one; below them, with local chains, the test wallets. */
export function WalletPicker({ options, busy, onPick, onCancel, elsewhere }: WalletPickerProps) {
  const [picked, setPicked] = useState<string | null>(null);
  const extensions = options.filter(({ kind }) => kind === 'extension');
  const remote = options.find(({ kind }) => kind === 'walletconnect');
  const tests = options.filter(({ kind }) => kind === 'test');
  const pick = (option: WalletOption) => {
    setPicked(option.id);
    onPick(option);
  };
  return (
    <div class="stack">
      {extensions.map((option) => (
        <Button
          key={option.id}
          variant="primary"
          busy={busy && picked === option.id}
          disabled={busy}
          onClick={() => pick(option)}
        >
          {option.icon !== null && <img class="wallet-icon" src={option.icon} alt="" width="24" height="24" />}
          {say('wallet.connect', { wallet: option.name })}
        </Button>
      ))}
      {remote?.pairing !== undefined && (
        <>
          <Button
            variant={extensions.length === 0 ? 'primary' : 'plain'}
            busy={busy && picked === remote.id}
            disabled={busy}
            onClick={() => pick(remote)}
          >
            {remote.name}
          </Button>
          <PairingPanel pairing={remote.pairing} onCancel={onCancel} />
        </>
      )}
      {extensions.length === 0 && elsewhere !== null && <Elsewhere {...elsewhere} />}
      {tests.length > 0 && <TestWallets options={tests} busy={busy} onPick={pick} />}
    </div>
  );
}

function TestWallets({ options, busy, onPick }: Omit<WalletPickerProps, 'elsewhere' | 'onCancel'>) {
  const [id, setId] = useState('');
  // The earlier pick may belong to another chain family than the present choice.
  const option = options.find((each) => each.id === id) ?? options[0];
  return (
    <fieldset class="test-wallets stack-tight">
      <legend>{say('wallet.test')}</legend>
      <p class="small soft">{say('wallet.test_text')}</p>
      <div class="field">
        <label for="test-wallet" class="visually-hidden">
          {say('wallet.test')}
        </label>
        <select id="test-wallet" value={option?.id} onChange={(event) => setId(event.currentTarget.value)}>
          {options.map((each) => (
            <option key={each.id} value={each.id}>
              {each.name}
            </option>
          ))}
        </select>
      </div>
      {option?.note !== undefined && (
        <p class="small soft typed" lang="en" dir="ltr">
          {option.note}
        </p>
      )}
      <Button busy={busy} onClick={() => option && onPick(option)}>
        {say('wallet.test_use')}
      </Button>
    </fieldset>
  );
}
