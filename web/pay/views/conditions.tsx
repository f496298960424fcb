import { conditionsOf } from '../words.ts';

/** What holds beside a price, one below the other. */
export function Conditions({ of }: { readonly of: Parameters<typeof conditionsOf>[0] }) {
  const conditions = conditionsOf(of);
  if (conditions.length === 0) return null;
  return (
    <ul class="conditions small soft">
      {conditions.map((condition) => (
        <li key={condition}>{condition}</li>
      ))}
    </ul>
  );
}
