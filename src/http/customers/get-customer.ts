import { answer, endpoint, none } from '../endpoint.ts';
import { customerSchema, customerView } from '../views/customer.ts';
import { customerParams } from './fields.ts';

export const getCustomer = endpoint({
  summary: 'Read a customer',
  params: customerParams,
  query: none,
  body: none,
  responses: { 200: customerSchema },
  errors: [404],
  handle: async ({ params, caller }, { services }) =>
    answer(200, customerView(await services.customers.get(caller, params.customerId))),
});
