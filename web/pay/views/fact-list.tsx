import { type ComponentChildren, Fragment } from 'preact';

export interface Fact {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly isCode?: boolean;
  /** For tests. */
  readonly part?: string;
}

/** Names with their values, one below the other. */
export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, value, isCode = false, part }) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd class={isCode ? 'code' : undefined} data-part={part} translate={false}>
            {value}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** "Base (8453)". */
export function Network({ label, chainId }: { readonly label: string; readonly chainId: number }) {
  return (
    <bdi>
      {label} ({chainId})
    </bdi>
  );
}
