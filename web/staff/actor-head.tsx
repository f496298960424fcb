import type { Fact, Inspection } from '../../src/staff/wire.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { TabList, type TabListProps } from '../ui/tabs.tsx';
import { Actions } from './actions.tsx';
import { searchHref } from './route.ts';
import { toneOf } from './words.ts';

export interface ActorHeadProps extends Omit<TabListProps, 'label'> {
  readonly seen: Inspection;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** What a caller is asked about first, the actions, and the tabs. On a wide screen it stays in sight. */
export function ActorHead({ seen, isLoading, reload, ...tabs }: ActorHeadProps) {
  const { kind, title, status, mode, merchant, facts } = seen;
  return (
    <div class="head">
      <section class="head-card card" aria-labelledby="title">
        <div class="spread">
          <h1 id="title">{title}</h1>
          <span class="row">
            <Badge>{kind}</Badge>
            <span data-testid="status">
              <Badge tone={toneOf(status)}>{status}</Badge>
            </span>
            <Badge tone={mode === 'live' ? 'accent' : 'plain'}>{mode}</Badge>
            {merchant.status === 'suspended' && <Badge tone="warn">merchant suspended</Badge>}
            <Button size="small" busy={isLoading} onClick={reload}>
              Reload
            </Button>
          </span>
        </div>
        <dl class="facts small">
          {facts.map((fact) => (
            <One key={fact.name} fact={fact} />
          ))}
          <div class="fact">
            <dt>Merchant</dt>
            <dd>{merchant.name}</dd>
          </div>
        </dl>
        <Actions seen={seen} reload={reload} />
      </section>
      <TabList label={`About this ${kind}`} {...tabs} />
    </div>
  );
}

function One({ fact: { name, label, value, id } }: { readonly fact: Fact }) {
  return (
    <div class="fact">
      <dt>{label}</dt>
      <dd data-fact={name}>{id === null ? value : <a href={searchHref(id)}>{value}</a>}</dd>
    </div>
  );
}
