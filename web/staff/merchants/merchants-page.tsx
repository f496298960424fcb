import type { MerchantRow, NewMerchant } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Select } from '../../ui/select.tsx';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { toneOf } from '../../ui/status.tsx';
import { RoleNote } from '../access/role-note.tsx';
import { hrefOf, type MerchantStatus, merchantStatusOf, merchantsHref } from '../route.ts';
import { type Order, OrderButton } from '../shared/order-button.tsx';
import { PagedTable, type PageOf, usePages } from '../shared/paged-table.tsx';
import { useStaffTitle } from '../shared/resource-page.tsx';
import { momentText, percentText } from '../shared/words.ts';
import { KEY_WARNING } from './keys-panel.tsx';

const ALL = 'all';

/** All merchants, the newest first. */
export function MerchantsPage({ status }: { readonly status: MerchantStatus | null }) {
  useStaffTitle('Merchants');
  const { shown, show } = useShownOnce();
  const path: `/${string}` = `/merchants${status === null ? '' : `?status=${status}`}`;
  const paged = usePages(path, ({ merchants }: PageOf<'merchants', MerchantRow>) => merchants);
  const create: Order<NewMerchant> = {
    title: 'Create a merchant',
    what: 'The service makes the merchant and one key of each environment. The keys are shown only once.',
    path: '/merchants',
    needsReason: false,
    fields: [{ name: 'name', label: 'Name' }],
    onDone: ({ testKey, liveKey }) => {
      show({ 'test key': testKey, 'live key': liveKey }, KEY_WARNING);
      paged.reload();
    },
  };
  return (
    <div class="stack">
      <div class="spread">
        <h1>Merchants</h1>
        <OrderButton needs="admin" variant="primary" order={create} />
      </div>
      <RoleNote needs="admin" />
      {shown}
      <Select
        label="Status"
        value={status ?? ALL}
        onChange={(chosen) => location.replace(merchantsHref(merchantStatusOf(chosen)))}
        options={[
          [ALL, 'all'],
          ['active', 'active'],
          ['suspended', 'suspended'],
        ]}
      />
      <PagedTable
        caption="Merchants"
        paged={paged}
        empty={status === null ? 'No merchant exists yet.' : `No merchant is ${status}.`}
        columns={{
          Merchant: ({ id, name }) => (
            <>
              <a href={hrefOf('merchant', id) ?? '#/'}>{name}</a>
              <div class="small soft">
                <Copyable text={id} isShort />
              </div>
            </>
          ),
          Status: (row) => <Badge tone={toneOf(row.status)}>{row.status}</Badge>,
          Fee: { number: ({ feeBps }) => percentText(feeBps) },
          Limits: { number: ({ limitFactor }) => `× ${limitFactor}` },
          Created: ({ createdAt }) => momentText(createdAt),
        }}
      />
    </div>
  );
}
