import { type Answer, answerOf } from './answer.ts';
import { type CallOptions, type InputKind, readCall } from './call.ts';
import type { Args, Asking, Creating, OperationName, Plain, Result, Sending } from './operations.ts';
import { pages } from './pages.ts';
import { pdfIn, type Transport } from './transport.ts';

type Method<Name extends OperationName> = (...args: [...Args<Name>, options?: CallOptions]) => Answer<Result<Name>>;

/**
 * Every operation of the API as a method with ids of the path first, then body or query, then options. The generated
 * types have its arguments and result; a test finds operations that are missing here.
 */
export function resourcesOver(transport: Transport) {
  const method =
    <Name extends OperationName>(operation: Name, kind: InputKind): Method<Name> =>
    (...args) => {
      const call = async () => transport.send<Result<Name>>(readCall(operation, kind, args));
      return answerOf(call());
    };
  const plain = <Name extends Plain>(operation: Name) => method(operation, 'none');
  const asks = <Name extends Asking>(operation: Name) => method(operation, 'query');
  const sends = <Name extends Sending>(operation: Name) => method(operation, 'body');
  const creates = <Name extends Creating>(operation: Name) => method(operation, 'create');
  const invoicePdf = (...args: Parameters<Method<'GET /payments/{paymentId}/invoice'>>): Answer<Uint8Array> => {
    const call = async () => transport.send(readCall('GET /payments/{paymentId}/invoice', 'pdf', args), pdfIn);
    return answerOf(call());
  };

  const lists = {
    offers: asks('GET /offers'),
    customers: asks('GET /customers'),
    subscriptions: asks('GET /subscriptions'),
    coupons: asks('GET /coupons'),
    payments: asks('GET /payments'),
    settlements: asks('GET /settlements'),
    events: asks('GET /events'),
  };
  return {
    currencies: {
      list: asks('GET /currencies'),
    },
    offers: {
      create: creates('POST /offers'),
      list: lists.offers,
      all: pages(lists.offers, 'offers'),
      get: plain('GET /offers/{offerId}'),
      update: sends('PATCH /offers/{offerId}'),
      delete: plain('DELETE /offers/{offerId}'),
      addPrice: sends('POST /offers/{offerId}/pricing'),
      retirePrice: plain('DELETE /offers/{offerId}/pricing/{priceId}'),
      updateMany: sends('PATCH /offers/batch'),
      deleteMany: sends('DELETE /offers/batch'),
    },
    wallets: {
      list: plain('GET /wallets'),
      register: sends('POST /wallets'),
      delete: plain('DELETE /wallets/{id}'),
    },
    customers: {
      create: creates('POST /customers'),
      list: lists.customers,
      all: pages(lists.customers, 'customers'),
      get: plain('GET /customers/{customerId}'),
      update: sends('PATCH /customers/{customerId}'),
      delete: plain('DELETE /customers/{customerId}'),
      createPortalSession: sends('POST /customers/{customerId}/portal-session'),
    },
    subscriptions: {
      create: creates('POST /subscriptions'),
      list: lists.subscriptions,
      all: pages(lists.subscriptions, 'subscriptions'),
      get: plain('GET /subscriptions/{subscriptionId}'),
      update: sends('PATCH /subscriptions/{subscriptionId}'),
      migrate: sends('POST /subscriptions/{subscriptionId}/migrate'),
      cancelMigration: plain('DELETE /subscriptions/{subscriptionId}/migrate'),
      changeQuantity: creates('POST /subscriptions/{subscriptionId}/quantity'),
      setDiscount: sends('POST /subscriptions/{subscriptionId}/discount'),
      removeDiscount: plain('DELETE /subscriptions/{subscriptionId}/discount'),
      recordUsage: method('POST /subscriptions/{subscriptionId}/usage', 'keyed'),
      usage: plain('GET /subscriptions/{subscriptionId}/usage'),
      changePayer: plain('POST /subscriptions/{subscriptionId}/change-payer'),
      cancel: sends('POST /subscriptions/{subscriptionId}/cancel'),
      retry: plain('POST /subscriptions/{subscriptionId}/retry'),
      pause: sends('POST /subscriptions/{subscriptionId}/pause'),
      resume: plain('POST /subscriptions/{subscriptionId}/resume'),
      delete: plain('DELETE /subscriptions/{subscriptionId}'),
    },
    coupons: {
      create: creates('POST /coupons'),
      list: lists.coupons,
      all: pages(lists.coupons, 'coupons'),
      get: plain('GET /coupons/{couponId}'),
      update: sends('PATCH /coupons/{couponId}'),
      redemptions: asks('GET /coupons/{couponId}/redemptions'),
    },
    payments: {
      create: creates('POST /payments'),
      list: lists.payments,
      all: pages(lists.payments, 'payments'),
      get: plain('GET /payments/{paymentId}'),
      proof: plain('GET /payments/{paymentId}/proof'),
      invoice: asks('GET /payments/{paymentId}/invoice'),
      invoicePdf,
      cancel: plain('POST /payments/{paymentId}/cancel'),
      refund: creates('POST /payments/{paymentId}/refunds'),
      refunds: plain('GET /payments/{paymentId}/refunds'),
      getRefund: asks('GET /payments/{paymentId}/refunds/{refundId}'),
      cancelRefund: plain('POST /payments/{paymentId}/refunds/{refundId}/cancel'),
      noteRefundSent: sends('POST /payments/{paymentId}/refunds/{refundId}/sent'),
    },
    revenue: {
      get: asks('GET /revenue'),
      cohorts: asks('GET /revenue/cohorts'),
    },
    settlements: {
      list: lists.settlements,
      all: pages(lists.settlements, 'settlements'),
    },
    account: {
      get: plain('GET /account'),
      update: sends('PATCH /account'),
    },
    webhooks: {
      getEndpoint: plain('GET /webhooks/endpoint'),
      setEndpoint: sends('PATCH /webhooks/endpoint'),
      getSecret: plain('GET /webhooks/secret'),
      rotateSecret: sends('POST /webhooks/secret/rotate'),
    },
    events: {
      list: lists.events,
      all: pages(lists.events, 'events'),
      get: plain('GET /events/{eventId}'),
      redeliver: plain('POST /events/{eventId}/redeliver'),
    },
    sandbox: {
      charge: sends('POST /sandbox/charge'),
      advance: sends('POST /sandbox/advance'),
    },
  };
}
