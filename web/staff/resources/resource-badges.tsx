import type { CustomerView, OfferView } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { toneOf } from '../shared/words.ts';

export interface ResourceBadgesProps {
  readonly kind: 'customer' | 'offer';
  readonly of: Pick<CustomerView | OfferView, 'mode' | 'merchant'>;
  /** null: it has none. */
  readonly status: string | null;
}

export function ResourceBadges({ kind, of: { mode, merchant }, status }: ResourceBadgesProps) {
  return (
    <>
      <Badge>{kind}</Badge>
      {status !== null && (
        <span data-testid="status">
          <Badge tone={toneOf(status)}>{status}</Badge>
        </span>
      )}
      <Badge tone={mode === 'live' ? 'accent' : 'plain'}>{mode}</Badge>
      {merchant.status === 'suspended' && <Badge tone="warn">merchant suspended</Badge>}
    </>
  );
}
