import type { Inspection } from '../../../src/staff/wire.ts';
import { Copyable } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { hrefOf } from '../route.ts';
import { Sentence } from '../shared/reference.tsx';
import { momentText } from '../shared/words.ts';
import { DeliveriesPanel } from './deliveries-panel.tsx';

/** The answers to callers, and its ids. */
export function OverviewPanel({ seen }: { readonly seen: Inspection }) {
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
