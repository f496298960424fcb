import { useState } from 'preact/hooks';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { wrongAddress } from '../../ui/address.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { ActionForm } from '../../ui/form.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { confirmation, hasPasskey } from '../access/proof.ts';
import { post, remove, useLoad, useRole } from '../dashboard-api.ts';
import type { Wallet, Wallets } from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import { tokenChoices, tokenText, usualToken } from '../shared/currencies.ts';
import { momentText } from '../shared/moment.tsx';
import { useDevnet, walletsOf } from '../shared/test-wallets.ts';
import { useChains } from '../shared/use-chains.ts';

/** The payout wallets of the environment, one per token. */
export function WalletsPanel({ mode }: { readonly mode: Mode }) {
  const isAdmin = useRole('admin');
  const chains = useChains(mode);
  const loaded = useLoad<Wallets>(`/${mode}/wallets`);
  const { ask, dialog } = useQuestion();
  const askToRemove = ({ id, tokenKey }: Wallet) =>
    ask({
      title: `Remove the payout wallet of ${tokenText(chains, tokenKey)}?`,
      action: 'Remove the wallet',
      isDanger: true,
      text: 'Charges in this token then need a wallet in their offer. Without one they are not made.',
      run: () => remove(`/wallets/${id}`).then(loaded.reload),
    });
  const actions = (wallet: Wallet) => (
    <Button
      size="small"
      variant="danger"
      label={`Remove the wallet of ${tokenText(chains, wallet.tokenKey)}`}
      onClick={() => askToRemove(wallet)}
    >
      Remove
    </Button>
  );
  return (
    <Panel title={`Payout wallets of ${mode} mode`}>
      <WhenLoaded loaded={loaded}>
        {({ wallets }) => (
          <Table
            caption="Payout wallets, one per token"
            rows={wallets}
            empty="No payout wallet yet: no charge can be made without one."
            columns={{
              Token: ({ tokenKey }) => tokenText(chains, tokenKey),
              Address: ({ receiverWallet }) => <Copyable what="address" text={receiverWallet ?? ''} />,
              'For signed mandates from': ({ effectiveAt }) =>
                effectiveAt === null ? 'withdrawn' : momentText(effectiveAt),
              ...(isAdmin && { Actions: actions }),
            }}
          />
        )}
      </WhenLoaded>
      {isAdmin && (
        <details>
          <summary>Add or replace a payout wallet</summary>
          <WalletForm mode={mode} onSaved={loaded.reload} />
        </details>
      )}
      {dialog}
    </Panel>
  );
}

/** Where the money of a token goes. In test mode on this machine it proposes the test wallet for it. */
export function WalletForm({ mode, onSaved }: { readonly mode: Mode; readonly onSaved: () => void }) {
  const choices = tokenChoices(useChains(mode));
  const { ask, dialog } = useQuestion();
  const devnet = useDevnet();
  const [chosen, setChosen] = useState<string | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const token = choices.find(({ key }) => key === chosen) ?? usualToken(choices);
  if (token === null) return <p class="soft">Loading…</p>;
  const known = mode === 'test' ? walletsOf(devnet, token.family) : [];
  const address = typed ?? known.find(({ name }) => name === 'merchant')?.address ?? '';
  const save = async () => {
    const wallet = { mode, tokenKey: token.key, receiverWallet: address.trim() };
    await post('/wallets', mode === 'live' ? { ...wallet, passkey: await confirmation() } : wallet);
    setTyped(null);
    onSaved();
  };
  const askToSave = async () =>
    ask({
      title: `Send live money in ${token.text} here?`,
      action: 'Yes, it is my wallet',
      text: (
        <>
          <code>{address.trim()}</code> gets the money of every live charge in {token.text} from now on. Compare it with
          your wallet, character by character: nobody can bring back what goes to a wrong address.{' '}
          {hasPasskey() ? 'Your passkey confirms it.' : 'It needs a sign-in of the last ten minutes.'}
        </>
      ),
      run: save,
    });
  return (
    <>
      <ActionForm action="Save the wallet" run={mode === 'live' ? askToSave : save}>
        <Select
          label="Token"
          value={token.key}
          onChange={(key) => {
            setChosen(key);
            setTyped(null);
          }}
          options={choices.map(({ key, text }) => [key, text] as const)}
        />
        {known.length > 0 && (
          <Select
            label="Test wallet on this machine"
            value={known.some((wallet) => wallet.address === address) ? address : ''}
            onChange={setTyped}
            options={[['', 'Another address'], ...known.map((wallet) => [wallet.address, wallet.name] as const)]}
          />
        )}
        <Field
          label="Address of the payout wallet"
          name="receiverWallet"
          required
          check={(text) => wrongAddress(token.family, text)}
          value={address}
          onInput={setTyped}
          hint="Your own wallet. The money of each charge goes there directly."
        />
      </ActionForm>
      {dialog}
    </>
  );
}
