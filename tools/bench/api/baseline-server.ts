import { once } from 'node:events';
import express, { type Request, type Response } from 'express';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { z } from 'zod';
import { serve } from '../../lib/child.ts';
import { NOBODY, newCustomer } from '../documents.ts';

/** No service drains the baseline's outboxes. */
const NEVER_MS = 365 * 86_400_000;

/**
 * The baseline of `api`: a minimal server for somebody who needs only the MongoDB call. It is a bare Express 5 app in
 * its own process, on the same database, collections and indexes as the service.
 *
 * - `GET /payments/:id`: one `findOne({_id})`, answered with the fields of a Payment; no key, no limit, no checks, no
 *   log.
 * - `POST /customers`: `express.json()` and an `insertOne` of each document that the service stores, the event in the
 *   outbox and the customer, in the service's write concern; answered with the fields of a Customer. Nothing processes
 *   the outbox.
 *
 * Options: Express without `x-powered-by` and without ETags, which the service does not send either; Node's server with
 * the service's keep-alive of 65 s; the driver with the service's options (32 connections, no retries, `w: 1` with
 * journal); `NODE_ENV=production` on both sides.
 *
 * Arguments: URI, database.
 */
async function open([uri = '', dbName = '']: readonly string[]) {
  const client = await MongoClient.connect(uri, { maxPoolSize: 32, retryWrites: false });
  const db = client.db(dbName, { writeConcern: { w: 1, journal: true } });
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(express.json());
  app.get('/payments/:id', readPayment(db.collection<Row>('payments')));
  app.post('/customers', createCustomer(db.collection<Row>('customers'), db.collection<Row>('outbox')));
  const server = app.listen(0, '127.0.0.1');
  server.keepAliveTimeout = 65_000;
  await once(server, 'listening');
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return { port: () => port };
}
export type BaselineServer = typeof open;

type Row = Document & { _id: string };

function readPayment(payments: Collection<Row>) {
  return async (request: Request<{ id: string }>, response: Response): Promise<void> => {
    const doc = await payments.findOne({ _id: request.params.id });
    if (doc === null) {
      response.status(404).json({ error: 'Not found' });
      return;
    }
    response.json(paymentBody(doc));
  };
}

function paymentBody(doc: Row) {
  const { attributes, context } = doc;
  return {
    id: doc._id,
    merchantId: doc['merchantId'],
    customerId: attributes.customerId,
    source: attributes.source,
    subscriptionId: attributes.subscriptionId,
    offerId: attributes.offerId,
    priceId: attributes.priceId,
    periodStart: null,
    periodEnd: null,
    attempts: context.attempt,
    nextAttemptAt: context.nextAttemptAt,
    idempotencyKey: attributes.idempotencyKey,
    paymentMethod: attributes.paymentMethod,
    fromWallet: context.fromWallet,
    toWallet: context.toWallet,
    amount: context.amount,
    platformAmount: attributes.platformAmount,
    merchantAmount: attributes.merchantAmount,
    tokenKey: attributes.tokenKey,
    chainId: attributes.chainId,
    ...context.hashes,
    status: doc['status'],
    failureReason: context.failureReason,
    blockedReason: null,
    isSandbox: doc['mode'] === 'test',
    affiliatePartnerId: attributes.affiliatePartnerId,
    affiliateCommissionPct: attributes.affiliateCommissionPct,
    metadata: attributes.metadata,
    refundWallet: attributes.refundWallet,
    refundedAmount: '0.00',
    receiptUrl: `http://127.0.0.1:3000/checkout/receipts/${doc._id}.${'r'.repeat(22)}`,
    quantity: null,
    usage: null,
    credit: null,
    createdAt: doc['createdAt'],
    updatedAt: doc['updatedAt'],
  };
}

function createCustomer(customers: Collection<Row>, outboxes: Collection<Row>) {
  return async (request: Request, response: Response): Promise<void> => {
    const { doc, outbox } = customerDoc(request.body, new Date());
    await outboxes.insertOne(outbox);
    await customers.insertOne(doc);
    response.status(201).json({
      id: doc._id,
      wallets: doc.wallets,
      merchantReferenceId: doc.merchantReferenceId,
      email: doc.email,
      phone: doc.phone,
      name: doc.name,
      merchantId: doc.merchantId,
      isSandbox: true,
      idempotencyKey: doc.idempotencyKey,
      createdAt: doc.createdAt,
      updatedAt: doc.updatedAt,
    });
  };
}

/** The service's documents of a new customer. */
function customerDoc(body: { readonly [field: string]: unknown }, now: Date) {
  const { merchantReferenceId = null, email = null, phone = null, name = null } = body;
  const { doc, outbox } = newCustomer(NOBODY, now, NEVER_MS);
  return { doc: { ...doc, merchantReferenceId, email, phone, name }, outbox };
}

serve(open);
