import type { typedDataOf } from '../../chains/mandates.ts';
import type * as wire from '../wire.ts';
import { DOMAIN_FIELDS } from './permit.ts';

/** The typed data of a mandate in JSON: amounts are decimal digits. */
export function typedDataView(data: ReturnType<typeof typedDataOf>): wire.TypedData | null {
  if (data === null) return null;
  const { domain, types, primaryType, message } = data;
  return {
    types: {
      EIP712Domain: DOMAIN_FIELDS.filter(({ name }) => name in domain),
      Mandate: types.Mandate,
    },
    primaryType,
    domain,
    message: { ...message, perCharge: message.perCharge.toString(), payees: [...message.payees] },
  };
}
