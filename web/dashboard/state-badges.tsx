import { Badge } from '../ui/badge.tsx';
import type { Offer } from './shop-types.ts';

export function OfferState({ active }: Pick<Offer, 'active'>) {
  return active ? <Badge tone="good">Active</Badge> : <Badge>Inactive</Badge>;
}
