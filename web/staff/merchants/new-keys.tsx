import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Ids } from '../shared/resource-page.tsx';

export interface ShownKey {
  /** `test key`. */
  readonly name: string;
  readonly key: string;
}

/** Keys that only this answer of the service has. They stay in the page until the person says that they are stored. */
export function NewKeys({ keys, onStored }: { readonly keys: readonly ShownKey[]; readonly onStored: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [keys]);
  return (
    <section class="card stack" aria-labelledby="new-keys" data-testid="new-keys">
      <h2 id="new-keys" ref={heading} tabIndex={-1}>
        {keys.length === 1 ? 'New key' : 'New keys'}
      </h2>
      <Notice tone="warn" title="Shown only this once">
        Store them now, and hand them over by a safe way. The service keeps only their hashes and cannot show them
        again.
      </Notice>
      <Ids ids={keys.map(({ name, key }) => [name, <Copyable what={name} text={key} />])} />
      <p>
        <Button onClick={onStored}>I have stored them</Button>
      </p>
    </section>
  );
}
