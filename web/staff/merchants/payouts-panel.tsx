import { useState } from 'preact/hooks';
import type { AccountView, PayoutRow } from '../../../src/staff/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Table } from '../../ui/table.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { RoleNote } from '../access/role-note.tsx';
import { mayAdminister, session } from '../access/session.ts';
import { ConfirmDialog, ENVIRONMENT } from '../shared/confirm-dialog.tsx';
import { Copyable } from '../shared/copyable.tsx';
import { momentText } from '../shared/words.ts';

/** Where a merchant's money goes. */
export function PayoutsPanel({ seen, reload }: { readonly seen: AccountView; readonly reload: () => void }) {
  const may = useSelector(session, mayAdminister);
  const [isSetting, setSetting] = useState(false);
  const [removed, setRemoved] = useState<PayoutRow | null>(null);
  return (
    <section class="card stack" aria-labelledby="payouts">
      <div class="spread">
        <h2 id="payouts">Payout wallets</h2>
        <Button size="small" disabled={!may} onClick={() => setSetting(true)}>
          Set a payout wallet
        </Button>
      </div>
      {!may && <RoleNote needs="admin" />}
      <Table
        caption="Payout wallets"
        rows={seen.wallets}
        keyOf={({ id }) => id}
        empty="It has no payout wallet."
        columns={[
          { title: 'Token', cell: ({ tokenKey }) => tokenKey },
          { title: 'Environment', cell: ({ mode }) => mode },
          {
            title: 'Address',
            cell: ({ receiverWallet, tokenKey }) =>
              receiverWallet === null ? (
                <span class="soft">removed</span>
              ) : (
                <Copyable what={`payout address of ${tokenKey}`} text={receiverWallet} isShort />
              ),
          },
          { title: 'Changed', cell: ({ updatedAt }) => momentText(updatedAt) },
          {
            title: 'Actions',
            cell: (wallet) =>
              wallet.receiverWallet !== null && (
                <Button
                  size="small"
                  variant="danger"
                  disabled={!may}
                  label={`Remove the ${wallet.mode} address of ${wallet.tokenKey}`}
                  onClick={() => setRemoved(wallet)}
                >
                  Remove
                </Button>
              ),
          },
        ]}
      />
      {isSetting && (
        <ConfirmDialog
          title="Set a payout wallet"
          isDanger={false}
          what="Money in this token goes to the address from now on. An address that the wallet has now is replaced."
          path={`/merchants/${seen.id}/wallets`}
          method="PUT"
          fields={[
            ENVIRONMENT,
            { name: 'tokenKey', label: 'Token', hint: 'Its key in the catalog, such as usdc-base.' },
            { name: 'receiverWallet', label: 'Address' },
          ]}
          onClose={() => setSetting(false)}
          onDone={reload}
        />
      )}
      {removed !== null && (
        <ConfirmDialog
          title="Remove"
          isDanger
          what={`Money in ${removed.tokenKey} (${removed.mode}) does not go to ${removed.receiverWallet} any more.`}
          path={`/merchants/${seen.id}/wallets/${removed.id}`}
          method="DELETE"
          onClose={() => setRemoved(null)}
          onDone={reload}
        />
      )}
    </section>
  );
}
