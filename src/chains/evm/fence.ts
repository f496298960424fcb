import type { ChargeDoc } from '../../store/collections.ts';
import { type MandatesById, mandateOf } from '../mandate-reader.ts';
import type { RpcCall } from '../rpc.ts';
import { encodeCycleSeen, encodeSeen, merchantSalt } from './contracts/router.ts';

/**
 * The call that asks the router whether a charge was made; `decodeSeen` reads the answer. For a charge under a mandate,
 * the payer's agreement decides: any sender can mark any key as seen with an open charge.
 * @throws Error if the charge's mandate is missing
 */
export function fenceCall(router: string, charge: ChargeDoc, mandates: MandatesById, block = 'latest'): RpcCall {
  return { method: 'eth_call', params: [{ to: router, data: fenceData(charge, mandates) }, block] };
}

function fenceData(charge: ChargeDoc, mandates: MandatesById): string {
  if (charge.mandate === undefined) return encodeSeen(charge.key);
  const mandate = mandateOf(charge, mandates);
  if (mandate === null) throw new Error(`the mandate of charge ${charge._id} is missing`);
  const merchant = merchantSalt(charge.merchantId, charge.mode);
  return encodeCycleSeen(charge.from, merchant, mandate.agreement, charge.mandate.cycle);
}
