import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/button.tsx';
import { TabList, type TabListProps } from '../../ui/tabs.tsx';

export interface PageHeadProps {
  readonly title: string;
  /** The kind, the state and the environment. */
  readonly badges: ComponentChildren;
  /** Elements of the class `fact`. */
  readonly facts: ComponentChildren;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** null: the page has no tabs. */
  readonly tabs: TabListProps | null;
  /** The actions. */
  readonly children?: ComponentChildren;
}

/** What a caller is asked about first, the actions, and the tabs. On a wide screen it stays in sight. */
export function PageHead({ title, badges, facts, isLoading, reload, tabs, children }: PageHeadProps) {
  return (
    <div class="head">
      <section class="head-card card" aria-labelledby="title">
        <div class="spread">
          <h1 id="title">{title}</h1>
          <span class="row">
            {badges}
            <Button size="small" busy={isLoading} onClick={reload}>
              Reload
            </Button>
          </span>
        </div>
        <dl class="facts small">{facts}</dl>
        {children}
      </section>
      {tabs !== null && <TabList {...tabs} />}
    </div>
  );
}

/** `name` is for tests. */
export function FactLine(props: {
  readonly name: string;
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="fact">
      <dt>{props.label}</dt>
      <dd data-fact={props.name}>{props.children}</dd>
    </div>
  );
}
