import type { ActionView, Diagram, Inspection } from '../../../src/staff/wire.ts';
import { Copyable, short } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import type { Loaded } from '../../ui/use-load.ts';
import { useLoad } from '../api.ts';
import { LettersAbout } from '../letters/letters-about.tsx';
import { MachinePanel } from '../machine/machine-panel.tsx';
import { hrefOf, hrefOfId, pathOf, type Route, tabHref } from '../route.ts';
import { OrderRow } from '../shared/order.tsx';
import { Sentence } from '../shared/reference.tsx';
import { type Head, type Part, ResourcePage } from '../shared/resource-page.tsx';
import { momentText } from '../shared/words.ts';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { JournalPanel } from './journal-panel.tsx';
import { MoneyPanel } from './money-panel.tsx';

/**
 * Everything about one subscription, payment or delivery: first the answers, and in further tabs the facts behind them.
 */
export function ActorPage({ kind, id, tab }: Extract<Route, { readonly page: 'actor' }>) {
  const loaded = useLoad<Inspection>(pathOf(kind, id));
  const machine = useLoad<Diagram>(`/machines/${kind}`);
  return (
    <ResourcePage
      {...{ kind, id, loaded, tab }}
      headOf={(seen) => headOf(seen, loaded.reload)}
      nameOf={({ title, status }) => `${title}: ${status}`}
      partsOf={(seen) => partsOf(seen, machine, loaded.reload)}
      hrefOfTab={(name) => tabHref(id, name)}
    />
  );
}

function headOf(seen: Inspection, reload: () => void): Head {
  const facts = seen.facts.map(
    ({ name, label, value, id }) =>
      [name, label, id === null ? value : <a href={hrefOfId(id)}>{value === id ? short(id) : value}</a>] as const,
  );
  return { ...seen, facts, actions: <Actions seen={seen} reload={reload} /> };
}

function partsOf(seen: Inspection, machine: Loaded<Diagram>, reload: () => void): readonly Part[] {
  const { kind, deliveries } = seen;
  const overview = { name: 'overview', title: 'Overview', content: <OverviewPanel seen={seen} /> };
  const states = { name: 'machine', title: 'Machine', content: <MachinePanel seen={seen} machine={machine} /> };
  if (kind === 'delivery') return [overview, states];
  return [
    overview,
    { name: 'money', title: 'Money', content: <MoneyPanel seen={seen} reload={reload} /> },
    { name: 'webhooks', title: 'Webhooks', content: <DeliveriesPanel deliveries={deliveries} isOne={false} /> },
    { name: 'letters', title: 'Letters', content: <LettersAbout id={seen.id} /> },
    { name: 'journal', title: 'Journal', content: <JournalPanel seen={seen} /> },
    states,
  ];
}

/** The API's own commands, sent by staff: each with a reason and a confirmation. */
function Actions({ seen, reload }: { readonly seen: Inspection; readonly reload: () => void }) {
  const refused = seen.actions.filter(({ isAllowed }) => !isAllowed);
  if (seen.actions.length === 0) return null;
  const orders = seen.actions.map((action) => ({ ...action, title: action.label, isDanger: isDanger(action) }));
  return (
    <>
      <OrderRow orders={orders} onDone={reload} needs="act" what="Actions need" />
      {refused.length > 0 && <Refused actions={refused} />}
    </>
  );
}

/** It ends the subscription, now or later. */
function isDanger({ name }: ActionView): boolean {
  return name === 'cancel' || name === 'cancel-at-period-end';
}

function Refused({ actions }: { readonly actions: readonly ActionView[] }) {
  return (
    <details class="small">
      <summary>Not possible now: {actions.map(({ label }) => label).join(', ')}</summary>
      <dl class="refused stack-tight">
        {actions.map(({ name, label, why, terms }) => (
          <div key={name}>
            <dt>{label}</dt>
            <dd data-action={name}>
              {why ?? 'The service would refuse it.'}
              {terms !== null && (
                <details>
                  <summary>In the terms of the machine</summary>
                  {terms}
                </details>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** The answers to callers, and its ids. */
function OverviewPanel({ seen }: { readonly seen: Inspection }) {
  return (
    <>
      {seen.notes.map(({ name, text }) => (
        <div key={name} data-note={name}>
          <Notice tone="warn" title={name}>
            <Sentence text={text} />
          </Notice>
        </div>
      ))}
      <Answers seen={seen} />
      {seen.kind === 'delivery' && <DeliveriesPanel deliveries={seen.deliveries} isOne />}
      <Identity seen={seen} />
    </>
  );
}

/** The questions of callers, and the answers. */
function Answers({ seen: { answers } }: { readonly seen: Inspection }) {
  if (answers.length === 0) return null;
  return (
    <Panel title="Answers">
      <dl class="answers">
        {answers.map(({ name, question, answer }) => (
          <div key={name} class="answer">
            <dt>{question}</dt>
            <dd data-answer={name}>
              <Sentence text={answer} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function Identity({ seen }: { readonly seen: Inspection }) {
  const { kind, id, spellings, merchant, createdAt, clockOffsetMs, now, related } = seen;
  const link = (of: string, other: string, label: string) => <a href={hrefOf(of, other) ?? '#/'}>{label}</a>;
  return (
    <Panel title="Ids" look="stack-tight small">
      <Facts
        facts={[
          [`This ${kind}`, <Copyable what="id" text={id} />],
          ...spellings.map((each) => ['Also written', <Copyable what={`spelling ${each}`} text={each} />] as const),
          ...related.map(
            ({ kind: of, id: other, label }) =>
              [
                link(of, other, label),
                <Copyable what={`id of ${label.toLowerCase()}`} text={other} isShort />,
              ] as const,
          ),
          [
            <>Merchant {link('merchant', merchant.id, merchant.name)}</>,
            <Copyable what="id of the merchant" text={merchant.id} isShort />,
          ],
        ]}
      />
      <p class="soft">
        Created {momentText(createdAt)}
        {clockOffsetMs > 0 && ` · its own clock shows ${momentText(now)}`}
      </p>
    </Panel>
  );
}
