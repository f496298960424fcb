import type { Inspection } from '../../../src/staff/wire.ts';
import { Notice } from '../../ui/notice.tsx';
import { hrefOf } from '../route.ts';
import { Copyable } from '../shared/copyable.tsx';
import { distanceText, momentText } from '../shared/words.ts';
import { Answers } from './answers.tsx';
import { DeliveriesPanel } from './deliveries-panel.tsx';

/** The answers to callers, what it waits for, and its ids. */
export function OverviewPanel({ seen }: { readonly seen: Inspection }) {
  return (
    <>
      {seen.notes.map(({ name, text }) => (
        <div key={name} data-note={name}>
          <Notice tone="warn" title={name}>
            {text}
          </Notice>
        </div>
      ))}
      <Answers seen={seen} />
      <PresentState seen={seen} />
      {seen.kind === 'delivery' && <DeliveriesPanel deliveries={seen.deliveries} isOne />}
      <Identity seen={seen} />
    </>
  );
}

function PresentState({ seen }: { readonly seen: Inspection }) {
  const [current] = seen.path;
  return (
    <section class="card stack-tight" aria-labelledby="present-state">
      <h2 id="present-state">Present state</h2>
      <p data-testid="state">
        <strong>{current?.id ?? seen.status}</strong>
        {current?.description && <span class="soft"> — {current.description}</span>}
      </p>
      {seen.waits !== null && (
        <p data-testid="waits">
          Waits for: {seen.waits.what}
          {seen.waits.until !== null && (
            <>
              ; until <strong>{momentText(seen.waits.until)}</strong> UTC ({distanceText(seen.waits.until, seen.now)})
            </>
          )}
        </p>
      )}
    </section>
  );
}

function Identity({ seen }: { readonly seen: Inspection }) {
  const { kind, id, spellings, merchant, createdAt, clockOffsetMs, now, related } = seen;
  return (
    <section class="card stack-tight small" aria-labelledby="identity">
      <h2 id="identity">Ids</h2>
      <dl class="ids">
        <dt>This {kind}</dt>
        <dd>
          <Copyable what="id" text={id} />
        </dd>
        {spellings.map((spelling) => (
          <>
            <dt>Also written</dt>
            <dd>
              <Copyable what={`spelling ${spelling}`} text={spelling} />
            </dd>
          </>
        ))}
        {related.map(({ kind: of, id: other, label }) => (
          <>
            <dt>
              <a href={hrefOf(of, other) ?? '#/'}>{label}</a>
            </dt>
            <dd>
              <Copyable what={`id of ${label.toLowerCase()}`} text={other} />
            </dd>
          </>
        ))}
        <dt>
          Merchant <a href={hrefOf('merchant', merchant.id) ?? '#/'}>{merchant.name}</a>
        </dt>
        <dd>
          <Copyable what="id of the merchant" text={merchant.id} />
        </dd>
      </dl>
      <p class="soft">
        Created {momentText(createdAt)} UTC
        {clockOffsetMs > 0 && ` · its own clock shows ${momentText(now)}`}
      </p>
    </section>
  );
}
