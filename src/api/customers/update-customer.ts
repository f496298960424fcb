import { updateCustomer as update } from '../../billing/customers/changes.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { exampleCustomer } from '../openapi/examples/customer.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { customerSchema, customerView } from '../views/customer.ts';
import { customerParams } from './fields.ts';
import { updateBody, updateInput } from './update-fields.ts';

export const updateCustomer = endpoint({
  summary: 'Update a customer; a missing field does not change, null clears',
  id: 'updateCustomer',
  description:
    'Wallets are merged per chain family: an entry replaces the wallet of its family, one with `address: null` removes it, and `wallets: null` removes all. A wallet that a live subscription bills can be neither removed nor replaced (409). The first wallet of a family is billed by the live subscriptions of that family that have none yet. Emits `customer.updated`.',
  params: customerParams,
  body: updateBody,
  responses: { 200: customerSchema },
  errors: [404, 409],
  notes: {
    400: 'Not valid, a field that cannot be updated, or nothing to update.',
    409: 'Another customer has the wallet, or a live subscription bills the wallet to remove or replace.',
  },
  messages: {
    400: 'body must have at least one field that can be updated',
    409: 'A customer with this wallet address already exists',
  },
  example: {
    params: { customerId: IDS.customer },
    body: { email: 'ada@new.example.com', phone: null },
    answer: { status: 200, body: { ...exampleCustomer, email: 'ada@new.example.com' } },
  },
  handle: async ({ params, body, caller }, deps) => {
    const customer = await update(deps, caller, params.customerId, updateInput(body));
    return answer(200, customerView(customer));
  },
});
