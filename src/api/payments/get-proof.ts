import { proofSchema } from '../../billing/proof/document.ts';
import { proofOf } from '../../billing/proof/proofs.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { exampleProof } from '../openapi/examples/proof.ts';
import { paymentParams } from './fields.ts';

export const getPaymentProof = endpoint({
  summary: 'Prove that a payment was charged',
  id: 'getPaymentProof',
  description:
    'The agreement and the charge on the chain, signed. The body is canonical JSON (RFC 8785): keep its bytes ' +
    'unchanged. `tideline verify-proof FILE --rpc URL` checks them against any node of the chain, without the service. The keys ' +
    'are published at `/.well-known/jwks.json`.',
  notes: {
    409: 'The payment is not settled, no block contains its transaction at the moment, or the service has no signing key.',
  },
  messages: { 409: 'Payment is pulled; a proof needs settled' },
  params: paymentParams,
  responses: { 200: proofSchema },
  errors: [404, 409],
  example: { params: { paymentId: IDS.payment }, answer: { status: 200, body: exampleProof } },
  handle: async ({ params, caller }, deps) => answer(200, await proofOf(deps, caller, params.paymentId)),
});
