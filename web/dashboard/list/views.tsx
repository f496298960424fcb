import { useState } from 'preact/hooks';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { inView } from '../../ui/in-view.ts';
import { store, stored } from '../../ui/stored.ts';
import { useSelector } from '../../ui/use-selector.ts';
import { session } from '../access/session.ts';
import { hrefOf, type Route } from '../route.ts';
import { filtersIn } from './filters.ts';

/** The filters of a list under a name. */
export interface View {
  readonly name: string;
  readonly filters: { readonly [name: string]: string };
}

/** `usual`: the views that every member has. */
type ViewsProps = { readonly route: Route; readonly usual: readonly View[] };

/**
 * Views of a list by name: one click sets all filters. A member's own views are stored in this browser: the address of
 * a page has all of its filters, so others, and other devices, get a view as a link, and only its name stays here.
 */
export function Views({ route: { mode, page, query }, usual }: ViewsProps) {
  const member = useSelector(session, ({ who }) => who?.member.id ?? '');
  const key = `tideline-views ${member} ${page}`;
  const [saved, setSaved] = useState(() => stored<readonly View[]>('localStorage', key) ?? []);
  const { askFor, dialog } = useQuestion();
  const present = filtersIn(query);
  const all = [{ name: 'All', filters: {} }, ...usual, ...saved];
  const shown = all.find(({ filters }) => JSON.stringify(filters) === JSON.stringify(present));
  const save = (views: readonly View[]) => {
    store('localStorage', key, views);
    setSaved(views);
  };
  const askForName = () =>
    askFor({
      title: 'Save this view',
      action: 'Save it',
      text: 'It is saved in this browser, for you. To show it to others, send them the address of this page.',
      fields: [{ name: 'name', label: 'Name', required: true }],
      first: { name: '' },
      run: async ({ name }) => save([...saved.filter((each) => each.name !== name), { name, filters: present }]),
    });
  if (all.length === 1 && shown !== undefined) return null;
  return (
    <div class="stack-tight">
      <nav class="tabs" aria-label="Views of the list">
        {all.map((view) => (
          <a
            key={view.name}
            class="tab"
            ref={view === shown ? inView : null}
            href={hrefOf(mode, page, null, view.filters)}
            aria-current={view === shown ? 'true' : undefined}
          >
            {view.name}
          </a>
        ))}
      </nav>
      {shown === undefined && (
        <Button size="small" variant="quiet" onClick={askForName}>
          Save this view
        </Button>
      )}
      {shown !== undefined && saved.includes(shown) && (
        <Button size="small" variant="quiet" onClick={() => save(saved.filter((view) => view !== shown))}>
          Forget this view
        </Button>
      )}
      {dialog}
    </div>
  );
}
