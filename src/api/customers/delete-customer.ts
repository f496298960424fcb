import { deleteCustomer as remove } from '../../billing/customers/changes.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { deletedSchema, deletedView } from '../../http/schemas.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { customerParams } from './fields.ts';

export const deleteCustomer = endpoint({
  summary: 'Delete a customer and cancel its live subscriptions, for good',
  id: 'deleteCustomer',
  description:
    'Frees the wallets for another customer, clears email, phone and name, and cancels every live subscription (one `subscription.canceled` each, without a `reason`). Payments are kept. Emits `customer.deleted`.',
  params: customerParams,
  responses: { 200: deletedSchema },
  errors: [404],
  example: { params: { customerId: IDS.customer }, answer: { status: 200, body: { id: IDS.customer, deleted: true } } },
  handle: async ({ params, caller }, deps) => {
    const customer = await remove(deps, caller, params.customerId);
    return answer(200, deletedView(customer._id));
  },
});
