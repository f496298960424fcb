import type { ComponentChildren } from 'preact';
import { ActionForm, type ActionFormProps } from '../../ui/form.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import type { Loaded } from '../../ui/use-load.ts';
import { useTitle } from '../../ui/use-title.ts';
import { hrefOf, labelOf, type Mode, type Page } from '../route.ts';
import { PageTitle } from './page-title.tsx';

interface OfList {
  readonly mode: Mode;
  /** The list to which the resource belongs. */
  readonly list: Page;
}

export interface ResourcePageProps<T> extends OfList {
  readonly loaded: Loaded<T>;
  readonly title: string;
  /** Beside the title. */
  readonly badge?: ComponentChildren;
  readonly children: (resource: T) => ComponentChildren;
}

/** The page of one resource. While it loads, or if it cannot: why, and the way to the list. */
export function ResourcePage<T>({ mode, list, loaded, title, badge, children }: ResourcePageProps<T>) {
  useTitle(title, 'Tideline dashboard');
  const { value, error } = loaded;
  if (error !== null) {
    return (
      <LoadFailed loaded={loaded}>
        <a href={hrefOf(mode, list)}>All {list}</a>
      </LoadFailed>
    );
  }
  if (value === null) return <p class="soft">Loading…</p>;
  return (
    <>
      <p>
        <a href={hrefOf(mode, list)}>{labelOf(list)}</a>
      </p>
      <div class="spread">
        <h1>{title}</h1>
        {badge}
      </div>
      {children(value)}
    </>
  );
}

export interface CreatePageProps extends OfList, Pick<ActionFormProps, 'action' | 'run' | 'children'> {
  readonly title: string;
}

export function CreatePage({ mode, list, title, children, ...form }: CreatePageProps) {
  return (
    <>
      <PageTitle title={title} />
      <ActionForm class="card stack form" {...form} beside={<a href={hrefOf(mode, list)}>All {list}</a>}>
        {children}
      </ActionForm>
    </>
  );
}
