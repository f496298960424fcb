import { useState } from 'preact/hooks';
import { Badge } from '../ui/badge.tsx';
import { Panel } from '../ui/panel.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { Table } from '../ui/table.tsx';
import { TabList, TabPanel } from '../ui/tabs.tsx';

/** What the page shows. */
export function Views() {
  return (
    <>
      <Tables />
      <Tabs />
      <Pictures />
    </>
  );
}

interface Row {
  readonly name: string;
  readonly amount: string;
  readonly isPaid: boolean;
}

const ROWS: readonly Row[] = [
  { name: 'Coffee Club', amount: '9.90', isPaid: true },
  { name: 'Tea and Pastry Club of the Old City', amount: '1,234.50', isPaid: false },
];

function Tables() {
  const table = { keyOf: ({ name }: Row) => name, columns: [] };
  return (
    <Panel title="Tables">
      <Table
        {...table}
        caption="Payments of a day"
        rows={ROWS}
        columns={[
          { title: 'Offer', cell: ({ name }) => name },
          {
            title: 'State',
            cell: ({ isPaid }) => <Badge tone={isPaid ? 'good' : 'warn'}>{isPaid ? 'settled' : 'pending'}</Badge>,
          },
          { title: 'Transaction', cell: () => <code>0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204</code> },
          { title: 'Amount', isNumber: true, cell: ({ amount }) => amount },
        ]}
      />
      <Table {...table} caption="Nothing" rows={[]} empty="No payments yet." />
    </Panel>
  );
}

const TABS = ['Overview', 'Keys', 'Payout wallets', 'Customers', 'Offers', 'Subscriptions', 'Journal'].map((title) => ({
  name: title.toLowerCase().replace(' ', '-'),
  title,
}));

function Tabs() {
  const [selected, setSelected] = useState('overview');
  return (
    <Panel title="Tabs">
      <TabList label="A merchant" tabs={TABS} selected={selected} onSelect={setSelected} />
      {TABS.map(({ name, title }) => (
        <TabPanel key={name} name={name} selected={selected}>
          <p>{title}: the content of the tab.</p>
        </TabPanel>
      ))}
    </Panel>
  );
}

const PIXEL =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 3"%3E%3Cpath d="M0 0h9v3H0z" fill="%230b5f7a"/%3E%3C/svg%3E';

function Pictures() {
  return (
    <Panel title="QR code and logo">
      <QrCode text="https://pay.example.com/checkout/offer_1" label="The address of the checkout" />
      <img class="logo" src={PIXEL} alt="A logo" />
    </Panel>
  );
}
