import { useState } from 'preact/hooks';
import type { SetWallet } from '../../../src/dashboard/wire.ts';
import { Button } from '../../ui/button.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Table } from '../../ui/table.tsx';
import { useRole } from '../access/use-role.ts';
import { dashboardApi, useLoad } from '../dashboard-api.ts';
import type { Wallet, Wallets } from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import { ActionDialog } from '../shared/action-dialog.tsx';
import { tokenText, useChains } from '../shared/currencies.ts';
import { Copyable } from '../shared/facts.tsx';
import { momentText } from '../shared/moment-text.ts';
import { Panel } from '../shared/panel.tsx';
import { WalletForm } from './wallet-form.tsx';

/** The payout wallets of the environment, one per token. */
export function WalletsPanel({ mode }: { readonly mode: Mode }) {
  const isAdmin = useRole('admin');
  const chains = useChains(mode);
  const loaded = useLoad<Wallets>(`/${mode}/wallets`);
  const [removed, setRemoved] = useState<Wallet | null>(null);
  const remove = async ({ id }: Wallet) => {
    await dashboardApi<SetWallet>(`/wallets/${id}`, { method: 'DELETE' });
    loaded.reload();
  };
  return (
    <Panel title={`Payout wallets of ${mode} mode`}>
      {loaded.error !== null && <LoadFailed loaded={loaded} />}
      {loaded.value !== null && (
        <Table
          caption="Payout wallets, one per token"
          rows={loaded.value.wallets}
          keyOf={({ id }) => id}
          empty="No payout wallet yet: no charge can be made without one."
          columns={[
            { title: 'Token', cell: ({ tokenKey }) => tokenText(chains, tokenKey) },
            { title: 'Address', cell: ({ receiverWallet }) => <Copyable what="address" text={receiverWallet ?? ''} /> },
            {
              title: 'For signed mandates from',
              cell: ({ effectiveAt }) => (effectiveAt === null ? 'withdrawn' : momentText(effectiveAt)),
            },
            ...(isAdmin
              ? [{ title: 'Actions', cell: (wallet: Wallet) => <Remove wallet={wallet} onAsk={setRemoved} /> }]
              : []),
          ]}
        />
      )}
      {isAdmin && (
        <details>
          <summary>Add or replace a payout wallet</summary>
          <WalletForm mode={mode} onSaved={loaded.reload} />
        </details>
      )}
      {removed !== null && (
        <ActionDialog
          title={`Remove the payout wallet of ${tokenText(chains, removed.tokenKey)}?`}
          action="Remove the wallet"
          isDanger
          run={() => remove(removed)}
          onClose={() => setRemoved(null)}
        >
          <p>Charges in this token then need a wallet in their offer. Without one they are not made.</p>
        </ActionDialog>
      )}
    </Panel>
  );
}

function Remove({ wallet, onAsk }: { readonly wallet: Wallet; readonly onAsk: (wallet: Wallet) => void }) {
  return (
    <Button
      size="small"
      variant="danger"
      label={`Remove the wallet of ${wallet.tokenKey}`}
      onClick={() => onAsk(wallet)}
    >
      Remove
    </Button>
  );
}
