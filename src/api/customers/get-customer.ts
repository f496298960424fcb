import { requireCustomer } from '../../billing/customers/customers.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { exampleCustomer } from '../openapi/examples/customer.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { customerSchema, customerView } from '../views/customer.ts';
import { customerParams } from './fields.ts';

export const getCustomer = endpoint({
  summary: 'Read a customer',
  id: 'getCustomer',
  params: customerParams,
  responses: { 200: customerSchema },
  errors: [404],
  example: { params: { customerId: IDS.customer }, answer: { status: 200, body: exampleCustomer } },
  handle: async ({ params, caller }, deps) =>
    answer(200, customerView(await requireCustomer(deps.store, caller, params.customerId))),
});
