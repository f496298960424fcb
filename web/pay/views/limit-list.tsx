import { Facts } from '../../ui/panel.tsx';
import { limitsOf } from '../limits.ts';

export interface LimitListProps {
  readonly mandate: Parameters<typeof limitsOf>[0];
  readonly ticker: string;
}

/** The limits of a mandate, one below the other. */
export function LimitList({ mandate, ticker }: LimitListProps) {
  const facts = limitsOf(mandate, ticker).map(({ title, text, addresses }) => {
    const lines = addresses.map((address) => (
      <div key={address} class="code">
        {address}
      </div>
    ));
    return [title, [text, ...lines]] as const;
  });
  return <Facts facts={facts} />;
}
