import type { Traced } from '../../observability/tracing.ts';
import type { ChargeDoc } from '../../store/collections.ts';

/** A trace shows so many ids of a batch. */
const SPAN_IDS_MAX = 10;

/** What a trace shows of a send, whatever the chain's family. */
export function sendSpan(
  { chainId }: { readonly chainId: number },
  sender: string,
  charges: readonly Pick<ChargeDoc, 'paymentId'>[],
): Omit<Traced<never>, 'outcome'> {
  return {
    name: 'chain send',
    attributes: () => ({
      'tideline.chain_id': chainId,
      'tideline.sender': sender,
      'tideline.count': charges.length,
      'tideline.ids': charges.slice(0, SPAN_IDS_MAX).map(({ paymentId }) => paymentId),
    }),
  };
}
