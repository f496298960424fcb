import type { Traced } from '../../observability/tracing.ts';
import type { ChargeDoc } from '../../store/collections.ts';

/** The most ids of a batch that a trace shows. */
const SPAN_IDS_MAX = 10;

/** The trace of a send, in every chain family. */
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
