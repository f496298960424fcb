import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { inView } from './in-view.ts';

interface Tab {
  /** Unique in the page; for its ids. */
  readonly name: string;
  readonly title: string;
}

export interface TabListProps {
  /** The subject of the tabs, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  readonly onSelect: (name: string) => void;
}

/**
 * One stop of the Tab key. The arrow keys, as they point, and Home and End move between the tabs, and select at once.
 */
export function TabList({ label, tabs, selected, onSelect }: TabListProps) {
  const list = useRef<HTMLDivElement>(null);
  const select = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ name }) => name === selected);
    const tab = tabs[indexFor(keyFor(event), at, tabs.length) ?? -1];
    if (tab === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onSelect(tab.name);
    list.current?.querySelector<HTMLElement>(`#tab-${tab.name}`)?.focus();
  };
  return (
    <div ref={list} class="tabs" role="tablist" aria-label={label}>
      {tabs.map(({ name, title }) => (
        <button
          key={name}
          ref={name === selected ? inView : null}
          type="button"
          role="tab"
          id={`tab-${name}`}
          class="tab"
          aria-selected={name === selected}
          aria-controls={`panel-${name}`}
          tabIndex={name === selected ? 0 : -1}
          onClick={() => onSelect(name)}
          onKeyDown={select}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** The key as in a text from left to right. */
function keyFor({ key, currentTarget }: KeyboardEvent): string {
  const isRtl = currentTarget instanceof Element && getComputedStyle(currentTarget).direction === 'rtl';
  if (!isRtl) return key;
  if (key === 'ArrowRight') return 'ArrowLeft';
  return key === 'ArrowLeft' ? 'ArrowRight' : key;
}

/** null: the key does not move. */
function indexFor(key: string, at: number, count: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count;
    case 'ArrowLeft':
      return (at + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

export interface TabPanelProps {
  readonly name: string;
  readonly selected: string;
  readonly children: ComponentChildren;
}

/** The content of a tab. While another one is selected it stays in the page, hidden, so that it loses nothing. */
export function TabPanel({ name, selected, children }: TabPanelProps) {
  return (
    <div
      role="tabpanel"
      id={`panel-${name}`}
      class="tab-panel stack"
      aria-labelledby={`tab-${name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the Tab key leads from a tab to its panel, also to one of text alone.
      tabIndex={0}
      hidden={name !== selected}
    >
      {children}
    </div>
  );
}
