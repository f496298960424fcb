import { useState } from 'preact/hooks';
import type { Letters } from '../../../src/staff/wire.ts';
import { Badge, Status, type Tone } from '../../../web/ui/badge.tsx';
import { BarChart } from '../../../web/ui/bar-chart.tsx';
import { Button } from '../../../web/ui/button.tsx';
import { LetterList } from '../../../web/ui/letters.tsx';
import { LoadFailed, SessionUnknown, WhenLoaded } from '../../../web/ui/load-failed.tsx';
import { Notice, type NoticeProps, StatusRegion } from '../../../web/ui/notice.tsx';
import { Facts, Panel } from '../../../web/ui/panel.tsx';
import { QrCode } from '../../../web/ui/qr-code.tsx';
import { ShownOnce } from '../../../web/ui/shown-once.tsx';
import { KeyedTable, Table } from '../../../web/ui/table.tsx';
import { TabList, TabPanel } from '../../../web/ui/tabs.tsx';
import type { Loaded } from '../../../web/ui/use-load.ts';
import { LONG, type Specimens } from './specimen.tsx';

const TONES = ['plain', 'good', 'warn', 'bad', 'accent'] as const satisfies readonly Tone[];

function Badges({ text }: { readonly text: string }) {
  return (
    <div class="row">
      {TONES.map((tone) => (
        <Badge key={tone} tone={tone}>{`${text} ${tone}`}</Badge>
      ))}
    </div>
  );
}

function Notices(props: NoticeProps) {
  return (
    <>
      {(['plain', 'good', 'warn', 'bad'] as const).map((tone) => (
        <Notice key={tone} tone={tone} {...props} isInRegion />
      ))}
    </>
  );
}

function Region() {
  const [isFilled, setFilled] = useState(false);
  return (
    <>
      <StatusRegion>
        {isFilled && (
          <Notice tone="good" title="It is paid" isInRegion>
            Screen readers announce it.
          </Notice>
        )}
      </StatusRegion>
      <Button onClick={() => setFilled(!isFilled)}>{isFilled ? 'Empty it' : 'Fill it'}</Button>
    </>
  );
}

const LOADING: Loaded<never> = {
  ...{ value: null, failure: null, error: null },
  ...{ isMissing: false, isLoading: true, reload: () => {} },
};
const IDLE: Loaded<never> = { ...LOADING, isLoading: false };
const FAILED: Loaded<never> = { ...IDLE, error: 'The service does not answer.' };
const MISSING: Loaded<never> = { ...FAILED, error: 'Not found', isMissing: true };

const LETTER: Letters['letters'][number] = {
  ...{ id: 'letter_1', letter: 'renewal', resourceId: 'sub_1', paymentId: null, status: 'suppressed', stop: 'bounced' },
  ...{ createdAt: '2030-01-15T10:00:00.000Z', nextAttemptAt: null },
  attempts: [
    { attempt: 1, startedAt: '2030-01-15T10:00:00.000Z', durationMs: 9, status: 550, error: null, body: LONG },
  ],
};

function lettersOf(value: Letters | null, loaded: Loaded<never> = IDLE) {
  return <LetterList loaded={{ ...loaded, value }} momentText={(at) => at} />;
}

function Read({ loaded }: { readonly loaded: Loaded<string> }) {
  return (
    <WhenLoaded loaded={loaded} missing="It was deleted, or the address is wrong.">
      {(text) => <p>{text}</p>}
    </WhenLoaded>
  );
}

interface Row {
  readonly id: string;
  readonly amount: string;
}

function Rows({ caption, rows }: { readonly caption: string; readonly rows: readonly Row[] }) {
  return (
    <Table
      caption={caption}
      rows={rows}
      empty="No payments yet."
      columns={{
        Offer: ({ id }) => id,
        State: () => <Badge tone="good">settled</Badge>,
        Transaction: () => <code>0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204</code>,
        Amount: { number: ({ amount }) => amount },
      }}
    />
  );
}

const HOURS = ['08', '09', '10'];

function Bars({ high }: { readonly high: string }) {
  return (
    <BarChart
      title="Payments"
      column="Hour"
      bars={HOURS.map((start) => ({ start, low: '0.00', high }))}
      names={['settled', 'failed']}
      startText={(start) => `${start}:00`}
      format={(amount) => amount}
    />
  );
}

const FEW = ['Overview', 'Keys', 'Journal'];
const MANY = [...'Payout wallets,Customers,Offers,Subscriptions,Deliveries,Settings,People'.split(','), LONG];

function Tabs({ titles }: { readonly titles: readonly string[] }) {
  const tabs = titles.map((title, at) => ({ name: `${titles.length}-${at}`, title }));
  const [selected, setSelected] = useState(tabs[0]?.name ?? '');
  return (
    <>
      <TabList label={`${titles.length} tabs`} tabs={tabs} selected={selected} onSelect={setSelected} />
      {tabs.map(({ name, title }) => (
        <TabPanel key={name} name={name} selected={selected}>
          <p>{title}: the content of the tab.</p>
        </TabPanel>
      ))}
    </>
  );
}

const PIXEL =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 3"%3E%3Cpath d="M0 0h9v3H0z" fill="%230b5f7a"/%3E%3C/svg%3E';

/** What the page shows and says. */
export const VIEWS: Specimens = {
  Badge: { usual: <Badges text="A badge," />, long: <Badges text={LONG} /> },
  Notice: {
    usual: (
      <Notices title="A notice">
        Its text, with <a href="#Notice">a link to this section</a> and <code>code</code>.
      </Notices>
    ),
    long: <Notices title={LONG}>{LONG}</Notices>,
    empty: <Notices title="Without a text" />,
    failed: <Notice tone="bad">Without a title, and announced.</Notice>,
  },
  StatusRegion: { long: <StatusRegion>{LONG}</StatusRegion>, empty: <Region /> },
  WhenLoaded: {
    usual: <Read loaded={{ ...LOADING, value: 'What was read.', isLoading: false }} />,
    long: <Read loaded={{ ...LOADING, value: LONG, isLoading: false }} />,
    empty: <Read loaded={MISSING} />,
    loading: <Read loaded={LOADING} />,
    failed: <Read loaded={FAILED} />,
  },
  LoadFailed: {
    long: <LoadFailed loaded={{ ...FAILED, error: LONG }} />,
    empty: <LoadFailed loaded={MISSING}>It was deleted.</LoadFailed>,
    loading: <LoadFailed loaded={{ ...FAILED, isLoading: true }} />,
    failed: <LoadFailed loaded={FAILED} />,
  },
  SessionUnknown: { loading: <SessionUnknown title="Tideline" loaded={LOADING} /> },
  Panel: {
    usual: (
      <Panel title="A panel" beside={<Button size="small">Beside it</Button>}>
        Its content.
      </Panel>
    ),
    long: (
      <Panel title={LONG} beside={<Button size="small">Beside it</Button>}>
        {LONG}
      </Panel>
    ),
    empty: <Panel title="An empty panel">{null}</Panel>,
    loading: (
      <Panel title="A panel that waits">
        <Read loaded={LOADING} />
      </Panel>
    ),
    failed: (
      <Panel title="A panel that failed">
        <Read loaded={FAILED} />
      </Panel>
    ),
  },
  Table: {
    usual: <Rows caption="Payments of a day" rows={[{ id: 'Coffee Club', amount: '9.90' }]} />,
    long: <Rows caption="Long names" rows={[{ id: LONG, amount: '123456789012345678.123456789012345678' }]} />,
    empty: <Rows caption="Nothing" rows={[]} />,
    loading: <Read loaded={LOADING} />,
    failed: <Read loaded={FAILED} />,
  },
  KeyedTable: {
    long: <KeyedTable caption="Texts" rows={[LONG]} keyOf={(text) => text} columns={{ Text: (text) => text }} />,
  },
  Status: { long: <Status status={LONG} /> },
  LetterList: {
    long: lettersOf({ letters: [LETTER], stops: [{ stop: 'bounced', at: LETTER.createdAt, reason: LONG }] }),
    empty: lettersOf({ letters: [], stops: [] }),
    loading: lettersOf(null, LOADING),
    failed: lettersOf(null, FAILED),
  },
  Facts: {
    long: (
      <Facts
        facts={[
          ['Name', LONG],
          [LONG, <code>{LONG}</code>],
        ]}
      />
    ),
  },
  BarChart: {
    usual: <Bars high="3.00" />,
    long: <Bars high="123456789012345678.12" />,
    empty: <Bars high="0.00" />,
  },
  ShownOnce: { long: <ShownOnce secrets={{ [LONG]: LONG, key: LONG }} warning={LONG} onStored={() => {}} /> },
  TabList: { usual: <Tabs titles={FEW} />, long: <Tabs titles={MANY} /> },
  TabPanel: { long: <Tabs titles={[LONG]} /> },
  QrCode: {
    usual: <QrCode text="https://pay.example.com/checkout/offer_1" label="The address of the checkout" />,
    long: <QrCode text={`ethereum:${LONG}`} label="A long address" />,
  },
  logo: { usual: <img class="logo" src={PIXEL} alt="A logo" /> },
};
