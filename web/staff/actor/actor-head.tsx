import type { Inspection } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import type { TabListProps } from '../../ui/tabs.tsx';
import { hrefOf, hrefOfId } from '../route.ts';
import { FactLine, PageHead } from '../shared/page-head.tsx';
import { toneOf } from '../shared/words.ts';
import { Actions } from './actions.tsx';

export interface ActorHeadProps extends Omit<TabListProps, 'label'> {
  readonly seen: Inspection;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

export function ActorHead({ seen, isLoading, reload, ...tabs }: ActorHeadProps) {
  const { kind, title, status, mode, merchant, facts } = seen;
  return (
    <PageHead
      title={title}
      badges={
        <>
          <Badge>{kind}</Badge>
          <span data-testid="status">
            <Badge tone={toneOf(status)}>{status}</Badge>
          </span>
          <Badge tone={mode === 'live' ? 'accent' : 'plain'}>{mode}</Badge>
          {merchant.status === 'suspended' && <Badge tone="warn">merchant suspended</Badge>}
        </>
      }
      facts={
        <>
          {facts.map(({ name, label, value, id }) => (
            <FactLine key={name} name={name} label={label}>
              {id === null ? value : <a href={hrefOfId(id)}>{value}</a>}
            </FactLine>
          ))}
          <FactLine name="merchant" label="Merchant">
            <a href={hrefOf('merchant', merchant.id) ?? '#/'}>{merchant.name}</a>
          </FactLine>
        </>
      }
      isLoading={isLoading}
      reload={reload}
      tabs={{ label: `About this ${kind}`, ...tabs }}
    >
      <Actions seen={seen} reload={reload} />
    </PageHead>
  );
}
