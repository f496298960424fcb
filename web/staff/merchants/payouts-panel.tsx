import type { AccountView, PayoutRow } from '../../../src/staff/wire.ts';
import { Copyable } from '../../ui/copy-button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { RoleNote } from '../access/role-note.tsx';
import { ENVIRONMENT, type Order, OrderButton } from '../shared/order-button.tsx';
import { momentText } from '../shared/words.ts';

/** Where a merchant's money goes. */
export function PayoutsPanel({ seen, reload }: { readonly seen: AccountView; readonly reload: () => void }) {
  const set: Order = {
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
  };
  const removal = ({ id, tokenKey, mode, receiverWallet }: PayoutRow): Order => ({
    title: 'Remove',
    isDanger: true,
    what: `Money in ${tokenKey} (${mode}) does not go to ${receiverWallet} any more.`,
    path: `/merchants/${seen.id}/wallets/${id}`,
    method: 'DELETE',
    onDone: reload,
  });
  return (
    <Panel title="Payout wallets" beside={<OrderButton needs="admin" order={set} />}>
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
          Actions: (wallet) =>
            wallet.receiverWallet !== null && (
              <OrderButton
                needs="admin"
                label={`Remove the ${wallet.mode} address of ${wallet.tokenKey}`}
                order={removal(wallet)}
              />
            ),
        }}
      />
    </Panel>
  );
}
