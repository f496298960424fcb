import { useQuestion } from '../../ui/action-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { useRole } from '../access/session.ts';
import { remove, useLoad } from '../dashboard-api.ts';
import type { Wallet, Wallets } from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import { tokenText } from '../shared/currencies.ts';
import { momentText } from '../shared/moment.tsx';
import { useChains } from '../shared/use-chains.ts';
import { WalletForm } from './wallet-form.tsx';

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
            keyOf={({ id }) => id}
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
