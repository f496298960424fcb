import type { ComponentChildren } from 'preact';
import { TabPanel } from '../../ui/tabs.tsx';

/** One tab of a page, and what it shows. */
export interface Part {
  readonly name: string;
  readonly title: string;
  readonly content: ComponentChildren;
}

export interface TabbedProps {
  readonly parts: readonly Part[];
  readonly selected: string;
  /** Above the parts, with their tabs. */
  readonly head: ComponentChildren;
}

/** A page in tabs. */
export function Tabbed({ parts, selected, head }: TabbedProps) {
  return (
    <div class="stack">
      {head}
      {parts.map(({ name, content }) => (
        <TabPanel key={name} name={name} selected={selected}>
          {content}
        </TabPanel>
      ))}
    </div>
  );
}

/** The tab of an address, else the first one. */
export function selectedOf(parts: readonly Part[], tab: string | null): string {
  return (parts.find(({ name }) => name === tab) ?? parts[0])?.name ?? '';
}

/** The way back leads to the page before, not through all tabs. A tab begins at its top. */
export function showTab(href: string): void {
  location.replace(href);
  window.scrollTo(0, 0);
}
