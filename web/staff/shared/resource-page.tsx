import type { ComponentChildren } from 'preact';
import { Badge, toneOf } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import type { Loaded } from '../../ui/use-load.ts';
import { useTitle } from '../../ui/use-title.ts';
import { hrefOf } from '../route.ts';

/** A fact for the head of a page. `name` is for tests. */
type Fact = readonly [name: string, label: string, value: ComponentChildren];

/** One tab of a page, and what it shows. */
export interface Part {
  readonly name: string;
  readonly title: string;
  readonly content: ComponentChildren;
  /** It reads data of its own, so it is in the page only while it is selected. */
  readonly isRead?: boolean;
}

/** What a caller is asked about first. */
export interface Head {
  readonly title: string;
  /** null: it has none. */
  readonly status: string | null;
  readonly mode?: 'live' | 'test';
  readonly facts: readonly Fact[];
  /** Whose it is; absent: it is the merchant. */
  readonly merchant?: { readonly id: string; readonly name: string; readonly status: string };
  readonly actions?: ComponentChildren;
}

export interface ResourcePageProps<T> {
  readonly kind: string;
  readonly id: string;
  readonly loaded: Loaded<T>;
  readonly headOf: (resource: T) => Head;
  /** The name in the browser's own tab. */
  readonly nameOf: (head: Head) => string;
  /** A single one has no tab. */
  readonly partsOf: (resource: T) => readonly Part[];
  /** The name of the tab in the address; null or unknown: the first one. */
  readonly tab?: string | null;
  readonly hrefOfTab?: (name: string) => string;
}

/** The page of one resource: its head, which stays in sight on a wide screen, and below it the parts in tabs. */
export function ResourcePage<T>(props: ResourcePageProps<T>) {
  const { kind, id, loaded, nameOf, tab, hrefOfTab } = props;
  const { value, error, isLoading, reload } = loaded;
  const head = value && props.headOf(value);
  useStaffTitle(error ?? (head === null ? id : nameOf(head)));
  if (error !== null) {
    return (
      <LoadFailed loaded={loaded}>
        No {kind} has the id <code>{id}</code>.
      </LoadFailed>
    );
  }
  if (value === null || head === null) return <p class="soft">Loading…</p>;
  const parts = props.partsOf(value);
  const selected = (parts.find(({ name }) => name === tab) ?? parts[0])?.name ?? '';
  return (
    <div class="stack">
      <div class="head">
        <section class="head-card card stack-tight" aria-labelledby="title">
          <div class="spread">
            <h1 id="title">{head.title}</h1>
            <span class="row">
              <Badges kind={kind} head={head} />
              <Button size="small" busy={isLoading} onClick={reload}>
                Reload
              </Button>
            </span>
          </div>
          <Facts head={head} />
          {head.actions}
        </section>
        {hrefOfTab !== undefined && (
          <TabList
            label={`About this ${kind}`}
            tabs={parts}
            selected={selected}
            onSelect={(name) => showTab(hrefOfTab(name))}
          />
        )}
      </div>
      {parts.map(({ name, content, isRead = false }) =>
        hrefOfTab === undefined ? (
          content
        ) : (
          <TabPanel key={name} name={name} selected={selected}>
            {(!isRead || name === selected) && content}
          </TabPanel>
        ),
      )}
    </div>
  );
}

/** The way back leads to the page before, not through all tabs. A tab begins at its top. */
function showTab(href: string): void {
  location.replace(href);
  window.scrollTo(0, 0);
}

function Badges({ kind, head: { status, mode, merchant } }: { readonly kind: string; readonly head: Head }) {
  return (
    <>
      <Badge>{kind}</Badge>
      {status !== null && (
        <span data-testid="status">
          <Badge tone={toneOf(status)}>{status}</Badge>
        </span>
      )}
      {mode !== undefined && <Badge tone={mode === 'live' ? 'accent' : 'plain'}>{mode}</Badge>}
      {merchant?.status === 'suspended' && <Badge tone="warn">merchant suspended</Badge>}
    </>
  );
}

function Facts({ head: { facts, merchant } }: { readonly head: Head }) {
  const all: readonly Fact[] =
    merchant === undefined
      ? facts
      : [...facts, ['merchant', 'Merchant', <a href={hrefOf('merchant', merchant.id) ?? '#/'}>{merchant.name}</a>]];
  return (
    <dl class="head-facts small">
      {all.map(([name, label, value]) => (
        <div key={name} class="fact">
          <dt>{label}</dt>
          <dd data-fact={name}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Names the tab after the shown page. */
export function useStaffTitle(shown: string): void {
  useTitle(shown, 'Tideline staff');
}
