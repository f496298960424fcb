import type { AccountView, PayoutRow } from '../../../src/staff/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { RoleNote } from '../access/role-note.tsx';
import { useStaffRole } from '../access/session.ts';
import { ENVIRONMENT, useConfirm } from '../shared/use-confirm.ts';
import { momentText } from '../shared/words.ts';

/** Where a merchant's money goes. */
export function PayoutsPanel({ seen, reload }: { readonly seen: AccountView; readonly reload: () => void }) {
  const may = useStaffRole() === 'admin';
  const { confirm, dialog } = useConfirm();
  const set = () =>
    confirm({
      title: 'Set a payout wallet',
      what: 'Money in this token goes to the address from now on. An address that the wallet has now is replaced.',
      path: `/merchants/${seen.id}/wallets`,
      method: 'PUT',
      fields: [
        ENVIRONMENT,
        { name: 'tokenKey', label: 'Token', hint: 'Its key in the catalog, such as usdc-base.' },
        { name: 'receiverWallet', label: 'Address' },
      ],
      onDone: reload,
    });
  const remove = ({ id, tokenKey, mode, receiverWallet }: PayoutRow) =>
    confirm({
      title: 'Remove',
      isDanger: true,
      what: `Money in ${tokenKey} (${mode}) does not go to ${receiverWallet} any more.`,
      path: `/merchants/${seen.id}/wallets/${id}`,
      method: 'DELETE',
      onDone: reload,
    });
  const actions = (wallet: PayoutRow) =>
    wallet.receiverWallet !== null && (
      <Button
        size="small"
        variant="danger"
        disabled={!may}
        label={`Remove the ${wallet.mode} address of ${wallet.tokenKey}`}
        onClick={() => remove(wallet)}
      >
        Remove
      </Button>
    );
  const setButton = (
    <Button size="small" disabled={!may} onClick={set}>
      Set a payout wallet
    </Button>
  );
  return (
    <Panel title="Payout wallets" beside={setButton}>
      <RoleNote needs="admin" />
      <Table
        caption="Payout wallets"
        rows={seen.wallets}
        keyOf={({ id }) => id}
        empty="It has no payout wallet."
        columns={{
          Token: ({ tokenKey }) => tokenKey,
          Environment: ({ mode }) => mode,
          Address: ({ receiverWallet, tokenKey }) =>
            receiverWallet === null ? (
              <span class="soft">removed</span>
            ) : (
              <Copyable what={`payout address of ${tokenKey}`} text={receiverWallet} isShort />
            ),
          Changed: ({ updatedAt }) => momentText(updatedAt),
          Actions: actions,
        }}
      />
      {dialog}
    </Panel>
  );
}
