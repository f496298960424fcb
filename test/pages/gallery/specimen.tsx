import type { ComponentChildren } from 'preact';
import { Panel } from '../../../web/ui/panel.tsx';

/** What a component holds: a usual content, much, none, one that is on its way, or a failure. */
const CONTENTS = ['usual', 'long', 'empty', 'loading', 'failed'] as const;

type Content = (typeof CONTENTS)[number];

/** Components by their names, with each content that they can have. */
export type Specimens = { readonly [component: string]: { readonly [C in Content]?: ComponentChildren } };

/** The longest name of an offer, with a word that has no end. */
export const LONG = `${'Coffee and tea, roasted and blended for the harbour, '.repeat(3)}${'Donaudampfschifffahrt'.repeat(2)}`;

export function SpecimenPanels({ specimens }: { readonly specimens: Specimens }) {
  return (
    <>
      {Object.entries(specimens).map(([component, contents]) => (
        <Panel key={component} title={component} id={component}>
          {CONTENTS.filter((content) => contents[content] !== undefined).map((content) => (
            <div key={content} class="line stack" data-component={component} data-content={content}>
              <p class="small soft">{content}</p>
              {contents[content]}
            </div>
          ))}
        </Panel>
      ))}
    </>
  );
}
