import { useState } from 'preact/hooks';
import type { MerchantRow, NewMerchant } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Select } from '../../ui/select.tsx';
import { RoleNote } from '../access/role-note.tsx';
import { useStaffRole } from '../access/session.ts';
import { hrefOf, type MerchantStatus, merchantsHref } from '../route.ts';
import { PagedTable, type PageOf, usePages } from '../shared/paged-table.tsx';
import { useStaffTitle } from '../shared/resource-page.tsx';
import { useConfirm } from '../shared/use-confirm.ts';
import { momentText, percentText, toneOf } from '../shared/words.ts';
import { NewKeys, type ShownKey } from './new-keys.tsx';

const ALL = 'all';

/** All merchants, the newest first. */
export function MerchantsPage({ status }: { readonly status: MerchantStatus | null }) {
  useStaffTitle('Merchants');
  const may = useStaffRole() === 'admin';
  const { confirm, dialog } = useConfirm();
  const [made, setMade] = useState<readonly ShownKey[] | null>(null);
  const path: `/${string}` = `/merchants${status === null ? '' : `?status=${status}`}`;
  const paged = usePages(path, ({ merchants }: PageOf<'merchants', MerchantRow>) => merchants);
  const create = () =>
    confirm<NewMerchant>({
      title: 'Create a merchant',
      what: 'The service makes the merchant and one key of each environment. The keys are shown only once.',
      path: '/merchants',
      needsReason: false,
      fields: [{ name: 'name', label: 'Name' }],
      onDone: ({ testKey, liveKey }) => {
        setMade([
          { name: 'test key', key: testKey },
          { name: 'live key', key: liveKey },
        ]);
        paged.reload();
      },
    });
  return (
    <div class="stack">
      <div class="spread">
        <h1>Merchants</h1>
        <Button variant="primary" size="small" disabled={!may} onClick={create}>
          Create a merchant
        </Button>
      </div>
      <RoleNote needs="admin" />
      {made !== null && <NewKeys keys={made} onStored={() => setMade(null)} />}
      <Select
        label="Status"
        value={status ?? ALL}
        onChange={(chosen) => location.replace(merchantsHref(chosenStatus(chosen)))}
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
      {dialog}
    </div>
  );
}

function chosenStatus(chosen: string): MerchantStatus | null {
  return chosen === 'active' || chosen === 'suspended' ? chosen : null;
}
