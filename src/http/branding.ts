import type { z } from 'zod';
import { brandingOf } from '../billing/administration/branding.ts';
import type { MerchantDoc } from '../store/collections.ts';
import type { brandingSchema } from './schemas.ts';

export function brandingView(merchant: MerchantDoc): z.output<typeof brandingSchema> {
  const { logo, accentColor } = brandingOf(merchant);
  return { logoPath: logo && `/logos/${logo.id}`, accentColor };
}
