import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';

export interface ShownOnceProps {
  /** `key`, `link`. */
  readonly what: string;
  readonly text: string;
  readonly warning: string;
  readonly onStored: () => void;
}

/** A secret that only this answer of the service has. It stays in the page until the person says that it is stored. */
export function ShownOnce({ what, text, warning, onStored }: ShownOnceProps) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), [text]);
  return (
    <section ref={section} tabIndex={-1} aria-label={`The new ${what}`} data-shown-once={what}>
      <Notice tone="warn" title={`This ${what} is shown only once`}>
        <p>{warning}</p>
        <p>
          <Copyable what={what} text={text} />
        </p>
        <p>
          <Button size="small" onClick={onStored}>
            I have it
          </Button>
        </p>
      </Notice>
    </section>
  );
}
