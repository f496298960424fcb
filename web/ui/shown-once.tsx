import type { ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Copyable } from './copy-button.tsx';
import { Notice } from './notice.tsx';

export interface ShownOnceProps {
  /** The texts by their names: `test key`, `link`. */
  readonly secrets: { readonly [what: string]: string };
  readonly warning: string;
  readonly onStored: () => void;
}

/** Secrets that only this answer of the service has. They stay in the page until the person has stored them. */
export function ShownOnce({ secrets, warning, onStored }: ShownOnceProps) {
  const section = useRef<HTMLElement>(null);
  const names = Object.keys(secrets).join(' and ');
  useEffect(() => section.current?.focus(), [Object.values(secrets).join()]);
  return (
    <section ref={section} tabIndex={-1} aria-label={`The new ${names}`} data-shown-once={names}>
      <Notice tone="warn" title={`Shown only once: the ${names}`}>
        <p>{warning}</p>
        {Object.entries(secrets).map(([what, text]) => (
          <p key={what}>
            <Copyable what={what} text={text} />
          </p>
        ))}
        <p>
          <Button size="small" onClick={onStored}>
            I have it
          </Button>
        </p>
      </Notice>
    </section>
  );
}

/** Shows secrets until the person has stored them, or others are shown; `shown` belongs into the page. */
export function useShownOnce() {
  const [shown, setShown] = useState<ComponentChild>(null);
  const onStored = () => setShown(null);
  const show = (secrets: ShownOnceProps['secrets'], warning: string) =>
    setShown(<ShownOnce {...{ secrets, warning, onStored }} />);
  return { shown, show };
}
