import { Fragment } from 'preact';
import { limitsOf } from '../limits.ts';

export interface LimitListProps {
  readonly mandate: Parameters<typeof limitsOf>[0];
  readonly ticker: string;
}

/** The limits of a mandate, one below the other. */
export function LimitList({ mandate, ticker }: LimitListProps) {
  return (
    <dl class="facts">
      {limitsOf(mandate, ticker).map(({ title, text, addresses }) => (
        <Fragment key={title}>
          <dt>{title}</dt>
          <dd>
            {text}
            {addresses.map((address) => (
              <div key={address} class="code">
                {address}
              </div>
            ))}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
