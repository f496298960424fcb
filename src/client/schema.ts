/**
 * The types of the merchant API, made from its OpenAPI document by `npm run client`. Not to be edited.
 */

export interface paths {
    "/currencies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the chains and tokens that can be charged
         * @description Which tokens can be named in offers, wallets and payments, and what the payers of this merchant approve on each chain.
         *
         *     Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["listCurrencies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/offers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List offers, newest first
         * @description Deleted offers are not listed.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listOffers"];
        put?: never;
        /**
         * Create an offer together with its pricing options
         * @description Creates the offer, its options and its checkout URL in one call. A price in US dollars or a dollar stablecoin costs its dollars one to one, without an exchange rate; any other price is frozen in tokens at once with an exchange rate no older than ten minutes, rounded up, and never changes again.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["createOffer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/offers/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete up to 100 offers, each on its own
         * @description One metered call. Each offer is deleted on its own and answered as DELETE /offers/{offerId} would; one that is refused stops none of the others.
         *
         *     Live keys: 20 calls a minute, 5,000 a day. Test keys: 10 calls a minute, 2,000 a day.
         */
        delete: operations["deleteOffers"];
        options?: never;
        head?: never;
        /**
         * Update up to 100 offers, each on its own
         * @description One metered call. Each item is done on its own and answered as PATCH /offers/{offerId} would; one that fails stops none of the others.
         *
         *     Live keys: 20 calls a minute, 5,000 a day. Test keys: 10 calls a minute, 2,000 a day.
         */
        patch: operations["updateOffers"];
        trace?: never;
    };
    "/offers/{offerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an offer
         * @description Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getOffer"];
        put?: never;
        post?: never;
        /**
         * Delete an offer that has no live subscription, for good
         * @description For good: the offer is not found any more, and its `identifier` is free again. To stop selling while subscriptions go on, set `active` to `false` instead.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        delete: operations["deleteOffer"];
        options?: never;
        head?: never;
        /**
         * Update an offer; its pricing options are immutable
         * @description What is left out stays; `null` clears an optional field. Pricing options are immutable: add one and retire the other.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        patch: operations["updateOffer"];
        trace?: never;
    };
    "/offers/{offerId}/pricing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a pricing option to an offer
         * @description The other options and `checkoutUrl` stay what they are. Prices are frozen as by POST /offers.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["addPricing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/offers/{offerId}/pricing/{priceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Retire a pricing option; existing subscriptions keep billing
         * @description The option stays in `pricing` with `active` `false`: it takes no new subscriptions, existing ones keep billing. Again: the same answer.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        delete: operations["retirePricing"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payout wallets, one per token
         * @description All of them: there is one per token, and no pagination.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listWallets"];
        put?: never;
        /**
         * Register the payout wallet of a token, or replace its address in place
         * @description From now on every charge in this token is paid out to this address, whatever destination a pricing option names. A wallet that is there already gets the new address in place. Emits `wallet.updated`, unless nothing has changed.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["registerWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a payout wallet that has no address any more
         * @description Refused while an address is registered: register another one instead, with POST /wallets. Only what staff have emptied can be deleted. Then the id is gone for good: a further DELETE is a 404, and POST /wallets makes another row.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        delete: operations["deleteWallet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List customers, newest first, or find one by wallet
         * @description Deleted customers are not listed.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listCustomers"];
        put?: never;
        /**
         * Create a customer
         * @description An empty object is a valid call. Emits `customer.created`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["createCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{customerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a customer
         * @description Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getCustomer"];
        put?: never;
        post?: never;
        /**
         * Delete a customer and cancel its live subscriptions, for good
         * @description Frees the wallets for another customer, clears email, phone and name, and cancels every live subscription (one `subscription.canceled` each, without a `reason`). Payments are kept. Emits `customer.deleted`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        delete: operations["deleteCustomer"];
        options?: never;
        head?: never;
        /**
         * Update a customer; what is left out stays, null clears
         * @description Wallets are merged per chain family: an entry replaces the wallet of its family, one with `address: null` removes it, and `wallets: null` removes all. A wallet that a live subscription bills can be neither removed nor replaced (409). The first wallet of a family is billed by the live subscriptions of that family that have none yet. Emits `customer.updated`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        patch: operations["updateCustomer"];
        trace?: never;
    };
    "/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions, newest first
         * @description Canceled ones are listed too, unless `status` says otherwise.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listSubscriptions"];
        put?: never;
        /**
         * Subscribe a customer to an offer's recurring pricing option
         * @description `pending` until the first charge settles, which is made as soon as the payer has authorized it on chain: at `authorizationUrl`, or by any approval that the operator gets from the wallet of the customer. Emits `subscription.created`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["createSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscriptions/{subscriptionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how a subscription stands, with its last invoice
         * @description The status view. `lastInvoice` is the newest cycle that was attempted.
         *
         *     Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getSubscription"];
        put?: never;
        post?: never;
        /**
         * Cancel a subscription now; its record is kept
         * @description The same as a cancel without `atPeriodEnd`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        delete: operations["deleteSubscription"];
        options?: never;
        head?: never;
        /**
         * Replace the custom variables of a subscription, its only mutable field
         * @description Replaces `customVariables` as a whole.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        patch: operations["updateSubscription"];
        trace?: never;
    };
    "/subscriptions/{subscriptionId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a subscription, now or at the end of its period
         * @description No new attempt is made after it, and the state is final. A charge that has been started is followed to its end and may still settle; it revives nothing. Emits `subscription.canceled` without a `reason`. With `atPeriodEnd` only `cancelAt` is set now; POST …/resume takes that back.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["cancelSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscriptions/{subscriptionId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a failed or blocked charge of a subscription again now
         * @description Makes one attempt, and answers when its outcome is known or 25 seconds are over: of a cycle that has failed, or of a charge that `blockedReason` keeps from being made. 409 where there is none, an attempt is in flight, or none can be made because the cause is still there.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["retrySubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscriptions/{subscriptionId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Clear a scheduled cancel, and charge what is due and would now succeed
         * @description Clears a scheduled cancel. While pending or past due it also checks the chain, and makes one attempt where a charge is due and would succeed. Answers when nothing is in flight any more or 25 seconds are over, whatever the check found.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["resumeSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscriptions/{subscriptionId}/migrate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the payer to authorize another pricing option of the same offer
         * @description Records the intent, in place of any recorded before. The subscription keeps billing its present terms until the payer has authorized the new ones at `authorizationUrl`; a migration that is abandoned changes nothing.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["migrateSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payments, newest first
         * @description Direct charges, one-time checkouts and the cycles of subscriptions that have been attempted.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listPayments"];
        put?: never;
        /**
         * Charge a wallet once
         * @description Pulls `amount` from `fromWallet`, which must have approved the operator of this merchant (GET /currencies), takes the fee, and pays `toWallet`. Answers with the outcome; what is not known after 25 seconds is answered as `pending` or `pulled`, and its end comes as an event. A `wallet_transfer` is answered at once, with the address to send to.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["createPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/{paymentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a payment
         * @description A deposit address is not shown again: it is in the answer of POST /payments alone.
         *
         *     Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/{paymentId}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that a payment was charged
         * @description What was agreed and what the chain says of it, signed. The body is canonical JSON (RFC 8785): keep its bytes as they are. `npm run verify-proof FILE --rpc URL` checks them against any node of the chain, without the service. The keys are published at `/.well-known/jwks.json`.
         *
         *     Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getPaymentProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/{paymentId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a payment whose charge has not been started
         * @description Only while nothing has been broadcast. Emits `payment.canceled`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["cancelPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/endpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read where the key's environment delivers its events
         * @description `effectiveUrl` says where deliveries go now: sandbox events go to the live URL while the sandbox has none of its own.
         *
         *     Live keys: 60 calls a minute, 5,000 a day. Test keys: 30 calls a minute, 2,000 a day.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set where the key's environment delivers its events; an empty url unsets it
         * @description Changes the key's own environment and never the other. The first URL that is saved makes the signing secret; POST /webhooks/secret/rotate shows one.
         *
         *     Live keys: 60 calls a minute, 5,000 a day. Test keys: 30 calls a minute, 2,000 a day.
         */
        patch: operations["setWebhookEndpoint"];
        trace?: never;
    };
    "/webhooks/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whether a signing secret exists; the secret itself is never returned
         * @description Of both environments, whichever key asks: there is one secret for both.
         *
         *     Live keys: 60 calls a minute, 5,000 a day. Test keys: 30 calls a minute, 2,000 a day.
         */
        get: operations["getWebhookSecret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the signing secret; the new one is shown here and never again
         * @description One secret signs the events of both environments.
         *
         *     Live keys: 10 calls a minute, 200 a day. Test keys: 10 calls a minute, 200 a day.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events, newest first, or wait for the next one
         * @description Each as it is delivered, whether a URL is set or not. With `wait` the answer comes when an event arrives that was not there before, and after that time at the latest; either way it is the page as it stands then.
         *
         *     To follow the log, send the first ids of the page that you have as `known`, so that what arrives between two calls is not waited for, and recognise by `id` what you have seen. After a crash of the service an event can be logged behind newer ones: now and then search what is some minutes old again.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an event with its deliveries and their attempts
         * @description Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{eventId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver an event once more
         * @description At once, to the URL that is set now, under the same `id`, and with six attempts of its own, whatever became of it before. Of an event that is being retried the next attempt is made now. The answer does not wait for it.
         *
         *     Live keys: 10 calls a minute, 200 a day. Test keys: 10 calls a minute, 200 a day.
         */
        post: operations["redeliverEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/charge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run one of a subscription's billing cycles now
         * @description The same as the billing job does, due or not: it charges the next period ahead, and ends a trial. Answers when the outcome is known.
         *
         *     Test keys only. Test keys: 30 calls a minute, 2,000 a day.
         */
        post: operations["sandboxCharge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/advance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a subscription's clock forward, billing what falls due on the way
         * @description Each sandbox subscription has a clock of its own, which only moves forward: to its next due moment, or as far as one of `to`, `days` and `status` says. What falls due on the way is billed as it would have been. Ids, `createdAt`, events, charges and limits keep real time.
         *
         *     Test keys only. Test keys: 30 calls a minute, 2,000 a day.
         */
        post: operations["sandboxAdvance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "customer.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A customer was created
         * @description Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["customerCreatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "customer.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A customer was updated
         * @description Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["customerUpdatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "customer.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A customer was deleted
         * @description Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["customerDeletedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A subscription was created, not yet authorized on chain
         * @description Sent at once when POST /subscriptions has made it; a replay of the call sends nothing.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionCreatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.active": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The first charge of a subscription has settled
         * @description Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionActiveEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.canceled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A subscription was canceled
         * @description `reason` is there only when billing ended it: `max_cycles_reached`, or `max_failed_cycles_reached`, which also stands for seven days past due.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionCanceledEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A charge has settled
         * @description Of a cycle, `subscriptionId` and `invoiceId`; of a one-off payment, `paymentId`.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["paymentSucceededEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A charge has failed
         * @description Of a cycle, `subscriptionId` and `invoiceId`; of a one-off payment, `paymentId`; of both, `reason`.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["paymentFailedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.canceled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A pending one-off payment was canceled
         * @description Sent for POST /payments/{paymentId}/cancel. A cycle that is taken back sends nothing.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["paymentCanceledEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "wallet.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The payout wallet of a token was registered, changed or removed
         * @description A signal to watch: whoever changes a payout wallet redirects money. After a removal, payouts go to another registered wallet of the chain or to the destination on the pricing option.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["walletUpdatedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.past_due": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A renewal has failed
         * @description Sent only to an endpoint that asked for `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionPastDueEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.recovered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What was past due is paid
         * @description Sent only to an endpoint that asked for `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionRecoveredEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.at_risk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A charge ahead could not be paid, as things stand
         * @description Seven, three and one day before a renewal or the end of a trial, where that is so long, the service checks allowance and balance, and tells of each check that finds one of them short. Nothing has failed yet.
         *
         *     Sent only to an endpoint that asked for `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionAtRiskEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.migrated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Other terms have taken effect
         * @description Sent once the payer has authorized them and, of an active subscription, its period has ended.
         *
         *     Sent only to an endpoint that asked for `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionMigratedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscription.blocked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A due charge is not made, and the payer is not the cause
         * @description Sent once when `blockedReason` of a subscription is set, and once more when it changes to another reason; not at each further try. Nothing has failed, no attempt is counted and no grace period runs. The charge is made when the cause has gone.
         *
         *     Sent only to an endpoint that asked for `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionBlockedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.pulled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A charge is in a block, and not yet final
         * @description Of a cycle, `subscriptionId` and `invoiceId`; of a one-off payment, `paymentId`.
         *
         *     Sent only to an endpoint that asked for `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["paymentPulledEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * Format: date-time
         * @description A moment: ISO 8601, UTC, milliseconds.
         */
        Timestamp: string;
        /** @description Any JSON value. */
        JsonValue: unknown;
        /**
         * @description The two kinds of chains.
         * @enum {string}
         */
        ChainFamily: "evm" | "solana";
        /**
         * @description Once, or again and again.
         * @enum {string}
         */
        BillingType: "recurring" | "one_time";
        /**
         * @description What a cycle is counted in.
         * @enum {string}
         */
        BillingInterval: "day" | "week" | "month" | "year";
        /**
         * @description The state of a subscription; `canceled` is final.
         * @enum {string}
         */
        SubscriptionStatus: "pending" | "active" | "past_due" | "canceled";
        /**
         * @description The state of a payment.
         * @enum {string}
         */
        PaymentStatus: "pending" | "pulled" | "settled" | "failed" | "canceled";
        /**
         * @description What a payment is for: a single charge, or a cycle of a subscription.
         * @enum {string}
         */
        PaymentSource: "one_time" | "subscription";
        /**
         * @description Pulled from a wallet that has approved, or sent to a deposit address.
         * @enum {string}
         */
        PaymentMethod: "wallet_connect" | "wallet_transfer";
        /**
         * @description Why a charge failed; the last three are of one-off payments only.
         * @enum {string}
         */
        FailureReason: "insufficient_allowance" | "insufficient_balance" | "pull_reverted" | "forward_reverted" | "platform_transfer_reverted" | "distribute_reverted";
        /**
         * @description The kinds of events; the last five have to be asked for.
         * @enum {string}
         */
        EventKind: "customer.created" | "customer.updated" | "customer.deleted" | "subscription.created" | "subscription.active" | "subscription.canceled" | "payment.succeeded" | "payment.failed" | "payment.canceled" | "wallet.updated" | "subscription.past_due" | "subscription.recovered" | "subscription.at_risk" | "subscription.migrated" | "subscription.blocked" | "payment.pulled";
        /**
         * @description How far an event is on its way.
         * @enum {string}
         */
        DeliveryStatus: "queued" | "sending" | "retrying" | "delivered" | "failed" | "no_endpoint";
        /**
         * @description Which limit has ended a subscription.
         * @enum {string}
         */
        CancelReason: "max_cycles_reached" | "max_failed_cycles_reached";
        /** @description A pricing option to be made. */
        PricingOptionInput: {
            /** @description Shown at checkout. */
            label?: string | null;
            /** @description The price in `currency`: a decimal string, at least 1.00 USD or its equivalent. */
            amount: string;
            /** @description `USD` (the default), `EUR`, `GBP` or a ticker of the catalog. USD, USDC and USDT are a dollar each; a price in another currency is frozen in tokens at once, at its exchange rate. */
            currency?: string | null;
            /** @description Token keys of the catalog, none of them twice. A live key takes mainnet tokens only; an offer with `splitEvm` takes EVM tokens only. */
            acceptedTokens: string[];
            /** @description Once, or on which rhythm. */
            billing: {
                /** @description Once or again and again. */
                type: components["schemas"]["BillingType"];
                /** @description Required for `recurring`, absent for `one_time`. */
                interval?: components["schemas"]["BillingInterval"] | null;
                /** @description How many intervals a cycle has: 1 by default. For `recurring` only. */
                intervalCount?: number | null;
            };
            /** @description Days until the first charge. For `recurring` only. */
            trialDays?: number | null;
            /** @description After so many paid cycles it is canceled; left out, it bills for ever. For `recurring` only. */
            maxCycles?: number | null;
            /** @description After so many failed attempts in a row it is canceled. For `recurring` only. */
            maxFailedCycles?: number | null;
            /** @description Where the money goes for accepted tokens without a registered wallet: an address on a chain of theirs, or one per family. Not zero, no token, not the operator; on Solana a wallet, no token account or program. */
            merchantDestinationWallet?: string | {
                /** @description An EVM address. */
                evm?: string | null;
                /** @description A Solana address. */
                solana?: string | null;
            } | null;
        };
        /** @description The body of createOffer. */
        CreateOfferInput: {
            /** @description What is sold. */
            name: string;
            /** @description The pricing options of the offer. */
            pricing: components["schemas"]["PricingOptionInput"][];
            /** @description Shown at checkout. */
            description?: string | null;
            /** @description An http or https URL. Shown at checkout. */
            imageUrl?: string | null;
            /** @description A readable slug, unique among the merchant's offers of this mode. */
            identifier?: string | null;
            /** @description The merchant's own name for the product. */
            productRef?: string | null;
            /** @description `false` hides it from new checkouts. */
            active?: boolean | null;
            /** @description How many may be sold; not less than have been taken. */
            availableQuantity?: number | null;
            /**
             * Format: date-time
             * @description From then on it takes nobody new. Any zone; kept in UTC.
             */
            expiresAt?: string | null;
            /** @description Free-form, kept as sent. At most 16 KB of JSON. */
            afterCompletion?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /** @description Free-form, kept as sent: shown at checkout, no effect on billing. At most 16 KB of JSON together. */
            features?: {
                [key: string]: components["schemas"]["JsonValue"];
            }[] | null;
            /** @description Free-form, kept as sent: what a checkout asks for. At most 16 KB of JSON. */
            collectFields?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /** @description Free-form, kept as sent. At most 16 KB of JSON. */
            allowedPaymentMethods?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /** @description The merchant's own notes: string to string. At most 16 KB of JSON. */
            metadata?: {
                [key: string]: string;
            } | null;
            /** @description The merchant's own reference. */
            reference?: string | null;
            /** @description Who shares the merchant's part on EVM chains: at most 100 percent together, the rest is paid out as usual. Empty is the same as left out. Cannot be changed later. */
            splitEvm?: {
                /** @description An EVM address, not zero, none of them twice. */
                address: string;
                /** @description Of what the merchant gets: more than 0, at most 2 decimal places. */
                percentage: string;
            }[] | null;
            /** @description Must be absent or empty: Solana payouts cannot be split. */
            splitSolana?: components["schemas"]["JsonValue"][] | null;
            /** @description Where the money goes of options that name no `merchantDestinationWallet` of their own, for tokens without a registered wallet. */
            merchantDestinationWallet?: string | {
                /** @description An EVM address. */
                evm?: string | null;
                /** @description A Solana address. */
                solana?: string | null;
            } | null;
            /** @description A repeat with the same key answers with what the first call has made. Without one, every call makes something new. */
            idempotencyKey?: string | null;
        };
        /** @description The body of updateOffers. */
        UpdateOffersInput: {
            /** @description Each is an update on its own: what is wrong with one is said in its result. */
            offers: {
                /** @description The offer to be updated. */
                id: string;
                /** @description Shown at checkout. */
                description?: string | null;
                /** @description An http or https URL. Shown at checkout. */
                imageUrl?: string | null;
                /** @description A readable slug, unique among the merchant's offers of this mode. */
                identifier?: string | null;
                /** @description The merchant's own name for the product. */
                productRef?: string | null;
                /** @description `false` hides it from new checkouts; existing subscriptions keep billing. */
                active?: boolean;
                /** @description How many may be sold; not less than have been taken. */
                availableQuantity?: number | null;
                /**
                 * Format: date-time
                 * @description From then on it takes nobody new. Any zone; kept in UTC.
                 */
                expiresAt?: string | null;
                /** @description Free-form, kept as sent. At most 16 KB of JSON. */
                afterCompletion?: {
                    [key: string]: components["schemas"]["JsonValue"];
                } | null;
                /** @description Free-form, kept as sent: shown at checkout, no effect on billing. At most 16 KB of JSON together. */
                features?: {
                    [key: string]: components["schemas"]["JsonValue"];
                }[] | null;
                /** @description Free-form, kept as sent: what a checkout asks for. At most 16 KB of JSON. */
                collectFields?: {
                    [key: string]: components["schemas"]["JsonValue"];
                } | null;
                /** @description Free-form, kept as sent. At most 16 KB of JSON. */
                allowedPaymentMethods?: {
                    [key: string]: components["schemas"]["JsonValue"];
                } | null;
                /** @description Merged into what is there; `null` removes a key, or all of them. At most 16 KB of JSON afterwards. */
                metadata?: {
                    [key: string]: string | null;
                } | null;
                /** @description The merchant's own reference. */
                reference?: string | null;
                /** @description What is sold. */
                name?: string;
                /** @description Cannot be updated. */
                pricing?: unknown;
                /** @description Cannot be updated. */
                merchantDestinationWallet?: unknown;
                /** @description Cannot be updated. */
                splitEvm?: unknown;
                /** @description Cannot be updated. */
                splitSolana?: unknown;
                /** @description Cannot be updated. */
                checkoutUrl?: unknown;
                /** @description Cannot be updated. */
                redeemedCount?: unknown;
                /** @description Cannot be updated. */
                isSandbox?: unknown;
                /** @description Cannot be updated. */
                idempotencyKey?: unknown;
                /** @description Cannot be updated. */
                createdAt?: unknown;
                /** @description Cannot be updated. */
                updatedAt?: unknown;
            }[];
        };
        /** @description The body of deleteOffers. */
        DeleteOffersInput: {
            /** @description The ids: 1 to 100. Either here or in the query. */
            ids?: string[];
        };
        /** @description The body of updateOffer. */
        UpdateOfferInput: {
            /** @description Shown at checkout. */
            description?: string | null;
            /** @description An http or https URL. Shown at checkout. */
            imageUrl?: string | null;
            /** @description A readable slug, unique among the merchant's offers of this mode. */
            identifier?: string | null;
            /** @description The merchant's own name for the product. */
            productRef?: string | null;
            /** @description `false` hides it from new checkouts; existing subscriptions keep billing. */
            active?: boolean;
            /** @description How many may be sold; not less than have been taken. */
            availableQuantity?: number | null;
            /**
             * Format: date-time
             * @description From then on it takes nobody new. Any zone; kept in UTC.
             */
            expiresAt?: string | null;
            /** @description Free-form, kept as sent. At most 16 KB of JSON. */
            afterCompletion?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /** @description Free-form, kept as sent: shown at checkout, no effect on billing. At most 16 KB of JSON together. */
            features?: {
                [key: string]: components["schemas"]["JsonValue"];
            }[] | null;
            /** @description Free-form, kept as sent: what a checkout asks for. At most 16 KB of JSON. */
            collectFields?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /** @description Free-form, kept as sent. At most 16 KB of JSON. */
            allowedPaymentMethods?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /** @description Merged into what is there; `null` removes a key, or all of them. At most 16 KB of JSON afterwards. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description The merchant's own reference. */
            reference?: string | null;
            /** @description What is sold. */
            name?: string;
            pricing?: never;
            merchantDestinationWallet?: never;
            splitEvm?: never;
            splitSolana?: never;
            id?: never;
            checkoutUrl?: never;
            redeemedCount?: never;
            isSandbox?: never;
            idempotencyKey?: never;
            createdAt?: never;
            updatedAt?: never;
        };
        /** @description The body of registerWallet. */
        RegisterWalletInput: {
            /** @description The token to be paid out. A live key takes mainnet tokens only. */
            tokenKey: string;
            /** @description Where to: an address on the token's chain; not zero, no token, not the operator; on Solana a wallet, no token account or program. */
            receiverWallet: string;
        };
        /** @description The body of createCustomer. */
        CreateCustomerInput: {
            /** @description At most one per chain family, none of which another customer of this mode has. EVM addresses compare without regard to case. A wallet has to sign: on Solana no token account, mint, program or address off the curve. */
            wallets?: {
                /** @description Of the chains on which it pays. */
                chainFamily: components["schemas"]["ChainFamily"];
                /** @description An address of that family, not zero. */
                address: string;
            }[] | null;
            /** @description Short for an entry of `wallets`, whose family is the one whose form it has. Where `wallets` has that family too, both must be the same. */
            walletAddress?: string;
            /** @description The merchant's own name for the customer. */
            merchantReferenceId?: string | null;
            /** @description An e-mail address. */
            email?: string | null;
            /** @description As it is to be shown. */
            phone?: string | null;
            /** @description As it is to be shown. */
            name?: string | null;
            /** @description A repeat with the same key answers with what the first call has made. Without one, every call makes something new. */
            idempotencyKey?: string | null;
        };
        /** @description The body of updateCustomer. */
        UpdateCustomerInput: {
            /** @description Merged per chain family; `null` removes all. */
            wallets?: {
                /** @description The family whose wallet is meant. */
                chainFamily: components["schemas"]["ChainFamily"];
                /** @description The new wallet; `null` removes the one that is there. */
                address: string | null;
            }[] | null;
            /** @description Short for an entry of `wallets`, whose family is the one whose form it has. Where `wallets` has that family too, both must be the same. */
            walletAddress?: string;
            /** @description The merchant's own name for the customer. */
            merchantReferenceId?: string | null;
            /** @description An e-mail address. */
            email?: string | null;
            /** @description As it is to be shown. */
            phone?: string | null;
            /** @description As it is to be shown. */
            name?: string | null;
            id?: never;
            merchantId?: never;
            isSandbox?: never;
            idempotencyKey?: never;
            createdAt?: never;
            updatedAt?: never;
        };
        /** @description The body of createSubscription. */
        CreateSubscriptionInput: {
            /** @description The pricing option: recurring and active, of an offer that is open. Required, under this name or the next. */
            priceId?: string | null;
            /** @description Another name for `priceId`; where both are given, they must be the same. */
            offerPriceId?: string | null;
            /** @description Who subscribes. The wallet may come later, with the authorization. */
            customerId: string;
            /** @description Where given, it must be the pricing option's. */
            offerId?: string | null;
            /** @description One of those that the option accepts. Required when it accepts several. */
            tokenKey?: string | null;
            /** @description The merchant's own: at most 50 keys and 8 KB of JSON. */
            customVariables?: {
                [key: string]: string | number | boolean;
            } | null;
            /** @description Opaque. Only together with `affiliateCommissionPct`; moves no money. */
            affiliatePartnerId?: string | null;
            /** @description A decimal string from 0 to 100, at most 2 decimal places. Only together with `affiliatePartnerId`. */
            affiliateCommissionPct?: string | null;
            /** @description A repeat with the same key answers with what the first call has made. Without one, every call makes something new. */
            idempotencyKey?: string | null;
        };
        /** @description The body of updateSubscription. */
        UpdateSubscriptionInput: {
            /** @description Takes the place of what is there; `null` empties it. At most 50 keys and 8 KB of JSON. */
            customVariables?: {
                [key: string]: string | number | boolean;
            } | null;
            id?: never;
            merchantId?: never;
            offerId?: never;
            offerPriceId?: never;
            priceId?: never;
            offerName?: never;
            priceAmount?: never;
            priceCurrency?: never;
            customerId?: never;
            chainId?: never;
            status?: never;
            currentPeriodEnd?: never;
            allowanceConfirmed?: never;
            cyclesCompleted?: never;
            consecutiveFailures?: never;
            afterCompletion?: never;
            isSandbox?: never;
            idempotencyKey?: never;
            affiliatePartnerId?: never;
            affiliateCommissionPct?: never;
            createdAt?: never;
            updatedAt?: never;
            tokenKey?: never;
            payerWallet?: never;
            authorizationUrl?: never;
            cancelAt?: never;
            trialEnd?: never;
            pendingOfferPriceId?: never;
            blockedReason?: never;
        };
        /** @description The body of cancelSubscription. */
        CancelSubscriptionInput: {
            /** @description `true` ends it at `currentPeriodEnd`; where that is null or past, it ends now all the same. */
            atPeriodEnd?: boolean | null;
        };
        /** @description The body of migrateSubscription. */
        MigrateSubscriptionInput: {
            /** @description Another recurring, active pricing option of the same offer. */
            priceId: string;
            /** @description In what the new option is to be paid. Required where it does not take the present token. */
            tokenKey?: string | null;
        };
        /** @description The body of createPayment. */
        CreatePaymentInput: {
            /** @description Who is paid: an address on the token's chain; not zero, no token, not the operator, not `fromWallet`; on Solana a wallet, no token account or program. */
            toWallet: string;
            /** @description What the payer pays, in token units: more than zero, with no more decimals than the token has. */
            amount: string;
            /** @description In what. Its chain must be enabled; a live key takes mainnet tokens only. */
            tokenKey: string;
            /** @description Required: a repeat with the same key answers with the payment of the first call. Never charges twice. */
            idempotencyKey: string;
            /** @description `wallet_connect` (the default) pulls from `fromWallet`; `wallet_transfer` gives an address to send to. */
            paymentMethod?: components["schemas"]["PaymentMethod"] | null;
            /** @description Who is charged: a wallet that has approved the operator, and can sign; on Solana no token account, mint, program or address off the curve. For `wallet_connect` required without `customerId`, and else by default the wallet that this customer has of the token’s family; absent for `wallet_transfer`. */
            fromWallet?: string | null;
            /** @description The customer, where there is one. */
            customerId?: string | null;
            /** @description Opaque. Only together with `affiliateCommissionPct`; moves no money. */
            affiliatePartnerId?: string | null;
            /** @description A decimal string from 0 to 100, at most 2 decimal places. Only together with `affiliatePartnerId`. */
            affiliateCommissionPct?: string | null;
            /** @description The merchant's own notes: string to string. At most 16 KB of JSON. */
            metadata?: {
                [key: string]: string;
            } | null;
            /** @description Where a deposit that is not used is sent back to: an address on the token's chain. */
            refundWallet?: string | null;
        };
        /** @description The body of setWebhookEndpoint. */
        SetWebhookEndpointInput: {
            /** @description An http or https URL (https only in live mode) to public addresses, without credentials; empty unsets it. */
            url?: string;
            /** @description Whether kinds beyond those listed here are delivered too. */
            extraEvents?: boolean;
            environment?: never;
            effectiveUrl?: never;
        };
        /** @description The body of rotateWebhookSecret. */
        RotateWebhookSecretInput: {
            /** @description For so long deliveries are also signed with the old secret, in `X-Service-Signature-Previous`. 0 by default: the old one dies at once. */
            overlapSeconds?: number | null;
        };
        /** @description The body of sandboxCharge. */
        SandboxChargeInput: {
            /** @description The subscription to be charged. */
            subscriptionId: string;
        };
        /** @description The body of sandboxAdvance. */
        SandboxAdvanceInput: {
            /** @description Whose clock is moved. */
            subscriptionId: string;
            /**
             * Format: date-time
             * @description Until this moment, which must not be past by that clock. Clocks end at `9000-01-01T00:00:00.000Z`.
             */
            to?: string | null;
            /** @description By so many days. */
            days?: number | null;
            /**
             * @description Until it has this status.
             * @enum {string|null}
             */
            status?: "active" | "past_due" | "canceled" | null;
        };
        /** @description One chain of the catalog. */
        Chain: {
            /** @description As the EVM numbers it; Solana 101, its devnet 103. */
            chainId: number;
            /** @description Decides which wallets can pay on it. */
            family: components["schemas"]["ChainFamily"];
            /** @description Its name. */
            label: string;
            /** @description Testnets can be used with test keys only. */
            testnet: boolean;
            /** @description What can be charged on it. */
            tokens: components["schemas"]["Token"][];
            /** @description With a test key: the chain that stands for this mainnet, on which hashes, allowances and `operator` are. `null` when it is itself. */
            playedBy: number | null;
            /** @description What this merchant's payers approve: the EVM spender or the Solana delegate; `null` where there is none yet. */
            operator: string | null;
            /** @description Whether charges are made on it. Offers may name its tokens all the same. */
            enabled: boolean;
        };
        /** @description One token of a chain. */
        Token: {
            /** @description The `tokenKey`: how offers, wallets and payments name it. */
            key: string;
            /** @description Such as `USDC`. */
            ticker: string;
            /** @description How many decimals its amounts may have. */
            decimals: number;
            /** @description The contract of the token; `null` on Solana. */
            address: string | null;
            /** @description The mint of the token; `null` on EVM chains. */
            mint: string | null;
        };
        /** @description What is sold, with its pricing options and its hosted checkout. */
        Offer: {
            /** @description The offer. */
            id: string;
            /** @description What is sold. */
            name: string;
            /** @description Shown at checkout. */
            description: string | null;
            /** @description Shown at checkout. */
            imageUrl: string | null;
            /** @description A readable slug, unique among the merchant's offers of this mode. */
            identifier: string | null;
            /** @description The merchant's own name for the product. */
            productRef: string | null;
            /**
             * Format: uri
             * @description The hosted checkout. It never changes, whatever options come and go.
             */
            checkoutUrl: string;
            /** @description All options, retired ones too, in the order in which they were made. */
            pricing: components["schemas"]["PricingOption"][];
            /** @description `false` hides it from new checkouts; existing subscriptions keep billing. */
            active: boolean;
            /** @description How many may be sold; `null` for no limit. */
            availableQuantity: number | null;
            /** @description How many have been sold and paid. */
            redeemedCount: number;
            /** @description From then on it takes nobody new; `null` for never. */
            expiresAt: components["schemas"]["Timestamp"] | null;
            /** @description Free-form, kept as sent: what happens after a checkout. */
            afterCompletion: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @description Free-form, kept as sent: shown at checkout, no effect on billing. */
            features: {
                [key: string]: components["schemas"]["JsonValue"];
            }[];
            /** @description Free-form, kept as sent: what a checkout asks for. */
            collectFields: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @description Free-form, kept as sent. */
            allowedPaymentMethods: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @description The merchant's own notes: string to string. */
            metadata: {
                [key: string]: string;
            };
            /** @description The merchant's own reference. */
            reference: string | null;
            /** @description Who shares what the merchant gets on EVM chains; the rest is paid out as usual. */
            splitEvm: components["schemas"]["Split"][];
            /** @description `true` for what was made with a test key. */
            isSandbox: boolean;
            /** @description The `idempotencyKey` of the call that made it; `null` when that had none. */
            idempotencyKey: string | null;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it last changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /** @description One price of an offer; its terms never change. */
        PricingOption: {
            /** @description The pricing option: `priceId` elsewhere. */
            id: string;
            /** @description Shown at checkout. */
            label: string | null;
            /** @description The price as it was sent, in `currency`. */
            amount: string;
            /** @description `USD`, `EUR`, `GBP` or a ticker of the catalog. */
            currency: string;
            /** @description Once, or on which rhythm. */
            billing: {
                /** @description Once or again and again. */
                type: components["schemas"]["BillingType"];
                /** @description What a cycle is counted in; `null` when billed once. */
                interval: components["schemas"]["BillingInterval"] | null;
                /** @description How many intervals a cycle has; `null` when billed once. */
                intervalCount: number | null;
            };
            /** @description In what it can be paid, and how much of it. */
            acceptedTokens: components["schemas"]["AcceptedToken"][];
            /** @description Days until the first charge; `null` for none. */
            trialDays: number | null;
            /** @description After so many paid cycles the subscription is canceled; `null`: it bills for ever. */
            maxCycles: number | null;
            /** @description After so many failed attempts in a row the subscription is canceled; `null`: only the seven days past due count. */
            maxFailedCycles: number | null;
            /** @description Where the money goes for tokens that have no registered wallet. */
            merchantDestinationWallet: {
                /** @description On EVM chains. */
                evm: string | null;
                /** @description On Solana. */
                solana: string | null;
            } | null;
            /** @description `false` once it is retired: no new subscriptions; existing ones keep billing. */
            active: boolean;
        };
        /** @description A token in which an option can be paid, and how much of it. */
        AcceptedToken: {
            /** @description The token. */
            tokenKey: string;
            /** @description The chain of the token. */
            chainId: number;
            /** @description What one charge takes, in base units of the token: frozen when the option was made, rounded up. */
            amountBaseUnits: string;
        };
        /** @description One share of what the merchant gets. */
        Split: {
            /** @description Who gets a share. */
            address: string;
            /** @description Of what the merchant gets: a decimal string. */
            percentage: string;
        };
        /** @description What became of each offer of a batch. */
        OfferBatchResult: {
            /** @description One for each item, in the order asked. */
            results: ({
                /** @description The offer, as it was asked for. */
                id: string;
                /**
                 * @description As the call for this offer alone would have answered.
                 * @constant
                 */
                status: 200;
                /** @description As it is now; of a deletion, as it was. */
                offer: components["schemas"]["Offer"];
            } | {
                /** @description The offer, as it was asked for. */
                id: string;
                /** @description As the call for this offer alone would have answered. */
                status: number;
                /** @description What was wrong with this item. */
                error: string;
            })[];
        };
        /** @description Where a token is paid out to. */
        Wallet: {
            /** @description The registration; it stays when the address is replaced. */
            id: string;
            /** @description The merchant that it belongs to. */
            merchantId: string;
            /** @description The token that is paid out to it. */
            tokenKey: string;
            /** @description The chain of the token. */
            chainId: number;
            /** @description Where the money goes; EVM addresses with their checksum. */
            receiverWallet: string | null;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description A payer. */
        Customer: {
            /** @description The customer. */
            id: string;
            /** @description At most one per chain family; `[]` when there are none. */
            wallets: components["schemas"]["CustomerWallet"][];
            /** @description The merchant's own name for the customer. */
            merchantReferenceId: string | null;
            /** @description As given. */
            email: string | null;
            /** @description As given. */
            phone: string | null;
            /** @description As given. */
            name: string | null;
            /** @description The merchant that it belongs to. */
            merchantId: string;
            /** @description `true` for what was made with a test key. */
            isSandbox: boolean;
            /** @description The `idempotencyKey` of the call that made it; `null` when that had none. */
            idempotencyKey: string | null;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it last changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /** @description The wallet with which a customer pays on one family of chains. */
        CustomerWallet: {
            /** @description Of the chains on which it pays. */
            chainFamily: components["schemas"]["ChainFamily"];
            /** @description EVM addresses with their checksum. */
            address: string;
        };
        /** @description What a customer is billed, and how that stands. */
        Subscription: {
            /** @description The subscription. */
            id: string;
            /** @description The merchant that it belongs to. */
            merchantId: string;
            /** @description The offer. */
            offerId: string;
            /** @description The pricing option that is billed. */
            offerPriceId: string;
            /** @description As it was at subscribe time. */
            offerName: string;
            /** @description The price as the option has it, in `priceCurrency`. */
            priceAmount: string;
            /** @description The currency of `priceAmount`. */
            priceCurrency: string;
            /** @description Who pays. */
            customerId: string;
            /** @description The chain of `tokenKey`. */
            chainId: number;
            /** @description `pending` until the first charge settles; `past_due` after a failed renewal; `canceled` is final. */
            status: components["schemas"]["SubscriptionStatus"];
            /** @description Until when it is paid, or, in a trial, when that ends; `null` before the first charge. */
            currentPeriodEnd: components["schemas"]["Timestamp"] | null;
            /** @description Whether the allowance on chain covers the next charge after those of the wallet's live subscriptions authorized before. It follows charges and approvals within seconds. */
            allowanceConfirmed: boolean;
            /** @description How many cycles have been paid. */
            cyclesCompleted: number;
            /** @description How many attempts have failed since the last one that settled. */
            consecutiveFailures: number;
            /** @description The merchant's own: the only field that can be changed. */
            customVariables: {
                [key: string]: string | number | boolean;
            };
            /** @description Copied from the offer. */
            afterCompletion: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @description `true` for what was made with a test key. */
            isSandbox: boolean;
            /** @description The `idempotencyKey` of the call that made it; `null` when that had none. */
            idempotencyKey: string | null;
            /** @description As given; copied to the payment of each cycle. */
            affiliatePartnerId: string | null;
            /** @description As given, a decimal string; moves no money. */
            affiliateCommissionPct: string | null;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it last changed. */
            updatedAt: components["schemas"]["Timestamp"];
            /** @description In what it is billed. */
            tokenKey: string;
            /** @description The wallet that is billed; `null` until one is linked. Only a new authorization changes it. */
            payerWallet: string | null;
            /**
             * Format: uri
             * @description Where the payer authorizes; lives 30 days. Only in the answer of POST /subscriptions while the subscription is pending, a replay included; null in every later read, since only a hash of its token is kept.
             */
            authorizationUrl: string | null;
            /** @description When a scheduled cancel takes effect; `null` when there is none. */
            cancelAt: components["schemas"]["Timestamp"] | null;
            /** @description When the trial ends or ended; `null` without one. */
            trialEnd: components["schemas"]["Timestamp"] | null;
            /** @description The pricing option that a migration waits for; null once it has taken effect or was abandoned. */
            pendingOfferPriceId: string | null;
            /**
             * @description Why a charge that is due or open is not made, where the payer is not the cause: nothing has failed, no attempt is counted, and it is made when the cause has gone. `no_payout_wallet`: the merchant has registered no payout wallet that the charge could be paid out to; `chain_not_enabled`: the chain of its token is not enabled on this installation; `sold_out`: the offer has no unit left; `merchant_suspended`: the merchant is suspended; `undeliverable`: a recipient does not take its share, such as a payout wallet that cannot receive the token. `null`: nothing is in the way.
             * @enum {string|null}
             */
            blockedReason: "no_payout_wallet" | "chain_not_enabled" | "sold_out" | "merchant_suspended" | "undeliverable" | null;
        };
        /** @description How a subscription stands, with its last invoice. */
        SubscriptionStatusView: {
            /** @description The subscription. */
            id: string;
            /** @description `pending` until the first charge settles; `past_due` after a failed renewal; `canceled` is final. */
            status: components["schemas"]["SubscriptionStatus"];
            /** @description Until when it is paid, or, in a trial, when that ends; `null` before the first charge. */
            currentPeriodEnd: components["schemas"]["Timestamp"] | null;
            /** @description As of the subscription. */
            allowanceConfirmed: boolean;
            /** @description Who pays. */
            customerId: string;
            /** @description How many cycles have been paid. */
            cyclesCompleted: number;
            /** @description How many attempts have failed since the last one that settled. */
            consecutiveFailures: number;
            /** @description The merchant's own. */
            customVariables: {
                [key: string]: string | number | boolean;
            };
            /** @description The newest cycle that has been attempted; `null` before the first attempt. */
            lastInvoice: components["schemas"]["Invoice"] | null;
            /** @description When a scheduled cancel takes effect; `null` when there is none. */
            cancelAt: components["schemas"]["Timestamp"] | null;
            /** @description When the trial ends or ended; `null` without one. */
            trialEnd: components["schemas"]["Timestamp"] | null;
            /** @description The wallet that is billed; `null` until one is linked. Only a new authorization changes it. */
            payerWallet: string | null;
            /** @description In what it is billed. */
            tokenKey: string;
            /** @description The pricing option that a migration waits for; null once it has taken effect or was abandoned. */
            pendingOfferPriceId: string | null;
            /**
             * @description Why a charge that is due or open is not made, where the payer is not the cause: nothing has failed, no attempt is counted, and it is made when the cause has gone. `no_payout_wallet`: the merchant has registered no payout wallet that the charge could be paid out to; `chain_not_enabled`: the chain of its token is not enabled on this installation; `sold_out`: the offer has no unit left; `merchant_suspended`: the merchant is suspended; `undeliverable`: a recipient does not take its share, such as a payout wallet that cannot receive the token. `null`: nothing is in the way.
             * @enum {string|null}
             */
            blockedReason: "no_payout_wallet" | "chain_not_enabled" | "sold_out" | "merchant_suspended" | "undeliverable" | null;
        };
        /** @description One cycle of a subscription: the payment of the same ending, in the words of an invoice. */
        Invoice: {
            /** @description The cycle: the payment `pay_…` with another prefix. */
            id: string;
            /** @description The subscription. */
            subscriptionId: string;
            /** @description The merchant that it belongs to. */
            merchantId: string;
            /** @description The `idempotencyKey` of the call that made it; `null` when that had none. */
            idempotencyKey: string | null;
            /** @description The payment's `amount`. */
            grossAmount: string;
            /** @description The service's fee. */
            platformAmount: string;
            /** @description What the merchant gets. */
            merchantAmount: string;
            /** @description In what it is charged. */
            tokenKey: string;
            /** @description The chain of the token. */
            chainId: number;
            /** @description The transaction in which the payer was charged; `null` until it is mined. */
            pullTxHash: string | null;
            /** @description The one in which the merchant was paid. */
            merchantTransferTxHash: string | null;
            /** @description The one in which the fee was paid. */
            platformTransferTxHash: string | null;
            /** @description The one in which the splits were paid; `null` without splits. */
            distributeTxHash: string | null;
            /** @description As of the payment. */
            status: components["schemas"]["PaymentStatus"];
            /** @description Why the last attempt failed; `null` when none has. */
            failureReason: components["schemas"]["FailureReason"] | null;
            /** @description `true` for what was made with a test key. */
            isSandbox: boolean;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it last changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /** @description One charge, or one cycle with all its attempts. */
        Payment: {
            /** @description The payment; of a cycle, `inv_…` and `sub-pay-…` with the same ending name it too. */
            id: string;
            /** @description The merchant that it belongs to. */
            merchantId: string;
            /** @description Who pays, where that is known. */
            customerId: string | null;
            /** @description `one_time`: a direct charge or a one-time checkout; `subscription`: a cycle. */
            source: components["schemas"]["PaymentSource"];
            /** @description Of a cycle. */
            subscriptionId: string | null;
            /** @description What was bought; `null` for a direct charge. */
            offerId: string | null;
            /** @description The pricing option; `null` for a direct charge. */
            priceId: string | null;
            /** @description Of a cycle: from when it pays. */
            periodStart: components["schemas"]["Timestamp"] | null;
            /** @description Of a cycle: until when it pays, not included. */
            periodEnd: components["schemas"]["Timestamp"] | null;
            /** @description How often it has been tried. */
            attempts: number;
            /** @description When a failed cycle is tried again; `null` when that was the last attempt. */
            nextAttemptAt: components["schemas"]["Timestamp"] | null;
            /** @description The `idempotencyKey` of the call that made it; `null` when that had none. */
            idempotencyKey: string | null;
            /** @description How the money comes: pulled from a wallet that has approved, or sent to a deposit address. */
            paymentMethod: components["schemas"]["PaymentMethod"];
            /** @description Who is charged. */
            fromWallet: string | null;
            /** @description Who is paid. */
            toWallet: string | null;
            /** @description What the payer pays, in token units. */
            amount: string;
            /** @description The service's fee, rounded down. */
            platformAmount: string;
            /** @description What the merchant gets: `amount` less the fee. */
            merchantAmount: string;
            /** @description In what it is charged. */
            tokenKey: string;
            /** @description The chain of the token. */
            chainId: number;
            /** @description The transaction in which the payer was charged; `null` until it is mined. */
            pullTxHash: string | null;
            /** @description The one in which the merchant was paid: normally the same. */
            forwardTxHash: string | null;
            /** @description The one in which the fee was paid: normally the same. */
            platformTransferTxHash: string | null;
            /** @description The one in which splits were paid; `null` without splits. */
            distributeTxHash: string | null;
            /** @description `pulled` when the charge is in a block, `settled` when that is final. `failed`: nothing has moved, or what could not be delivered is named by `failureReason`. */
            status: components["schemas"]["PaymentStatus"];
            /** @description Why it failed; `null` when it has not. */
            failureReason: components["schemas"]["FailureReason"] | null;
            /**
             * @description Why a charge that is due or open is not made, where the payer is not the cause: nothing has failed, no attempt is counted, and it is made when the cause has gone. `no_payout_wallet`: the merchant has registered no payout wallet that the charge could be paid out to; `chain_not_enabled`: the chain of its token is not enabled on this installation; `sold_out`: the offer has no unit left; `merchant_suspended`: the merchant is suspended; `undeliverable`: a recipient does not take its share, such as a payout wallet that cannot receive the token. `null`: nothing is in the way.
             * @enum {string|null}
             */
            blockedReason: "no_payout_wallet" | "chain_not_enabled" | "sold_out" | "merchant_suspended" | "undeliverable" | null;
            /** @description `true` for what was made with a test key. */
            isSandbox: boolean;
            /** @description As given. */
            affiliatePartnerId: string | null;
            /** @description As given, a decimal string; moves no money. */
            affiliateCommissionPct: string | null;
            /** @description The merchant's own notes: string to string. */
            metadata: {
                [key: string]: string;
            };
            /** @description Where a deposit that is not used is sent back to. */
            refundWallet: string | null;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it last changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /** @description A payment as POST /payments answers it: with the deposit address where there is one. */
        CreatedPayment: {
            /** @description The payment; of a cycle, `inv_…` and `sub-pay-…` with the same ending name it too. */
            id: string;
            /** @description The merchant that it belongs to. */
            merchantId: string;
            /** @description Who pays, where that is known. */
            customerId: string | null;
            /** @description `one_time`: a direct charge or a one-time checkout; `subscription`: a cycle. */
            source: components["schemas"]["PaymentSource"];
            /** @description Of a cycle. */
            subscriptionId: string | null;
            /** @description What was bought; `null` for a direct charge. */
            offerId: string | null;
            /** @description The pricing option; `null` for a direct charge. */
            priceId: string | null;
            /** @description Of a cycle: from when it pays. */
            periodStart: components["schemas"]["Timestamp"] | null;
            /** @description Of a cycle: until when it pays, not included. */
            periodEnd: components["schemas"]["Timestamp"] | null;
            /** @description How often it has been tried. */
            attempts: number;
            /** @description When a failed cycle is tried again; `null` when that was the last attempt. */
            nextAttemptAt: components["schemas"]["Timestamp"] | null;
            /** @description The `idempotencyKey` of the call that made it; `null` when that had none. */
            idempotencyKey: string | null;
            /** @description How the money comes: pulled from a wallet that has approved, or sent to a deposit address. */
            paymentMethod: components["schemas"]["PaymentMethod"];
            /** @description Who is charged. */
            fromWallet: string | null;
            /** @description Who is paid. */
            toWallet: string | null;
            /** @description What the payer pays, in token units. */
            amount: string;
            /** @description The service's fee, rounded down. */
            platformAmount: string;
            /** @description What the merchant gets: `amount` less the fee. */
            merchantAmount: string;
            /** @description In what it is charged. */
            tokenKey: string;
            /** @description The chain of the token. */
            chainId: number;
            /** @description The transaction in which the payer was charged; `null` until it is mined. */
            pullTxHash: string | null;
            /** @description The one in which the merchant was paid: normally the same. */
            forwardTxHash: string | null;
            /** @description The one in which the fee was paid: normally the same. */
            platformTransferTxHash: string | null;
            /** @description The one in which splits were paid; `null` without splits. */
            distributeTxHash: string | null;
            /** @description `pulled` when the charge is in a block, `settled` when that is final. `failed`: nothing has moved, or what could not be delivered is named by `failureReason`. */
            status: components["schemas"]["PaymentStatus"];
            /** @description Why it failed; `null` when it has not. */
            failureReason: components["schemas"]["FailureReason"] | null;
            /**
             * @description Why a charge that is due or open is not made, where the payer is not the cause: nothing has failed, no attempt is counted, and it is made when the cause has gone. `no_payout_wallet`: the merchant has registered no payout wallet that the charge could be paid out to; `chain_not_enabled`: the chain of its token is not enabled on this installation; `sold_out`: the offer has no unit left; `merchant_suspended`: the merchant is suspended; `undeliverable`: a recipient does not take its share, such as a payout wallet that cannot receive the token. `null`: nothing is in the way.
             * @enum {string|null}
             */
            blockedReason: "no_payout_wallet" | "chain_not_enabled" | "sold_out" | "merchant_suspended" | "undeliverable" | null;
            /** @description `true` for what was made with a test key. */
            isSandbox: boolean;
            /** @description As given. */
            affiliatePartnerId: string | null;
            /** @description As given, a decimal string; moves no money. */
            affiliateCommissionPct: string | null;
            /** @description The merchant's own notes: string to string. */
            metadata: {
                [key: string]: string;
            };
            /** @description Where a deposit that is not used is sent back to. */
            refundWallet: string | null;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it last changed. */
            updatedAt: components["schemas"]["Timestamp"];
            /** @description Only of a `wallet_transfer` that is pending, and only here: where the payer sends the amount. */
            depositAddress?: string;
            /** @description Until when the deposit is waited for. */
            depositExpiresAt?: components["schemas"]["Timestamp"];
        };
        /** @description What proves that a payment was charged, without the service. */
        ProofOfCharge: {
            /** @description Names the charge on the chain: keccak256 of `subscription:<id>:<cycle>`, or of `payment:<id>`. */
            chargeKey: string;
            /** @description `true` for what was made with a test key. */
            isSandbox: boolean;
            /** @description When it was signed. */
            issuedAt: components["schemas"]["Timestamp"];
            /** @description The merchant. */
            merchantId: string;
            /** @description What the chain says. */
            onChain: {
                /** @description The hash of the block that the transaction is in. */
                blockHash: string;
                /** @description The number of that block; on Solana the slot. */
                blockNumber: number;
                /** @description The chain on which it was charged: with a test key, the one that plays the asked one. */
                chainId: number;
                /** @description Blocks (Solana: slots) from that one to the newest, both counted. */
                confirmations: number;
                /**
                 * @description The kind of chain.
                 * @enum {string}
                 */
                family: "evm" | "solana";
                /** @description The wallet that was charged. */
                from: string;
                /** @description What was pulled: the sum of the shares, base units of the playing token. */
                gross: string;
                /** @description EVM: the index of the router's log `Charged` in the block. Solana: of the memo's instruction. */
                logIndex: number;
                /** @description How the chain names the merchant. EVM: the salt of its operator; Solana: its delegate, or a deposit's key. */
                merchant: string;
                /** @description EVM: the router, whose log it is. `null` on Solana. */
                router: string | null;
                /** @description Everybody who was paid, in the order in which they were. */
                shares: {
                    /** @description Solana: the token account that received it. `null` on EVM. */
                    account: string | null;
                    /** @description How much was paid, base units of the playing token. */
                    amount: string;
                    /** @description EVM: the index of its Transfer log in the block. Solana: of its instruction in the transaction. */
                    logIndex: number;
                    /**
                     * @description The merchant, the fee, or one of the splits.
                     * @enum {string}
                     */
                    role: "forward" | "platform" | "split";
                    /** @description Who was paid. */
                    to: string;
                }[];
                /** @description The playing token: contract or mint. */
                token: string;
                /** @description The transaction: its hash, on Solana its first signature. */
                transaction: string;
            };
            /** @description The payment. */
            paymentId: string;
            /** @description Who says all of it. */
            signature: {
                /**
                 * @description How it is signed.
                 * @constant
                 */
                algorithm: "Ed25519";
                /** @description The thumbprint of the public key (RFC 7638): `kid` of `/.well-known/jwks.json`. */
                keyId: string;
                /** @description The key that it is to be checked with, hex of 32 bytes. */
                publicKey: string;
                /** @description The signature, hex, over the UTF-8 bytes of the canonical JSON (RFC 8785) of the proof without this field. */
                value: string;
            };
            /** @description What was agreed. */
            terms: {
                /** @description What was agreed, base units of the token that was asked for. */
                amount: string;
                /** @description The chain of the token that was asked for. */
                chainId: number;
                /** @description The number of the cycle; `null` for a one-off payment. */
                cycle: number | null;
                /** @description Of the token that was asked for. */
                decimals: number;
                /** @description The service's fee, basis points. */
                feeBps: number;
                /** @description The merchant's part, splits included. */
                merchantAmount: string;
                /** @description What was bought; `null` for a direct charge. */
                offerId: string | null;
                /** @description Who was to pay; of a `wallet_transfer` the address that the money was sent to. */
                payer: string | null;
                /** @description Of a cycle: until when it pays, not included. */
                periodEnd: components["schemas"]["Timestamp"] | null;
                /** @description Of a cycle: from when it pays. */
                periodStart: components["schemas"]["Timestamp"] | null;
                /** @description The fee. */
                platformAmount: string;
                /** @description The pricing option; `null` for a direct charge. */
                priceId: string | null;
                /** @description Where the merchant's own part was to go. */
                recipient: string | null;
                /** @description Who shares the merchant's part. */
                splits: {
                    /** @description Who gets it. */
                    address: string;
                    /** @description Of the merchant's part, percent. */
                    percentage: string;
                }[];
                /** @description Of a cycle. */
                subscriptionId: string | null;
                /** @description The token that was asked for. */
                tokenKey: string;
            };
            /**
             * @description What this is.
             * @constant
             */
            type: "tideline.proof-of-charge";
            /**
             * @description Of this form.
             * @constant
             */
            version: 1;
        };
        /** @description Where the events of one environment are delivered. */
        WebhookEndpoint: {
            /**
             * @description The key's: `sandbox` of a test key, `live` of a live key.
             * @enum {string}
             */
            environment: "live" | "sandbox";
            /** @description What was saved for this environment; empty when unset. */
            url: string;
            /** @description Where deliveries go now: of the sandbox, its own URL, else the live one; `null` when there is neither. */
            effectiveUrl: string | null;
            /** @description Whether kinds beyond those listed here are delivered too. */
            extraEvents: boolean;
        };
        /** @description One event, exactly as it is delivered. */
        Event: components["schemas"]["CustomerCreatedEvent"] | components["schemas"]["CustomerUpdatedEvent"] | components["schemas"]["CustomerDeletedEvent"] | components["schemas"]["SubscriptionCreatedEvent"] | components["schemas"]["SubscriptionActiveEvent"] | components["schemas"]["SubscriptionCanceledEvent"] | components["schemas"]["PaymentSucceededEvent"] | components["schemas"]["PaymentFailedEvent"] | components["schemas"]["PaymentCanceledEvent"] | components["schemas"]["WalletUpdatedEvent"] | components["schemas"]["SubscriptionPast_dueEvent"] | components["schemas"]["SubscriptionRecoveredEvent"] | components["schemas"]["SubscriptionAt_riskEvent"] | components["schemas"]["SubscriptionMigratedEvent"] | components["schemas"]["SubscriptionBlockedEvent"] | components["schemas"]["PaymentPulledEvent"];
        /** @description One event, and what became of it. */
        EventRecord: {
            /** @description The same in every delivery. */
            id: string;
            /** @description The kind. */
            event: components["schemas"]["EventKind"];
            /** @description When it happened. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for what was made with a test key. */
            isSandbox: boolean;
            /** @description As it is delivered: which ids it has follows from the kind. */
            data: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @description Counts the events of `resourceId`. */
            sequence: number;
            /** @description The subscription, one-off payment, customer or payout wallet whose events `sequence` counts. */
            resourceId: string;
            /** @description Empty only in the moment before its delivery is made. */
            deliveries: components["schemas"]["Delivery"][];
        };
        /** @description One event on its way to the URL that is set. */
        Delivery: {
            /** @description The delivery. */
            id: string;
            /** @description `queued`: waits for the first attempt of the event before it; `sending`: an attempt is under way; `retrying`: the next one has a time; `failed`: six have failed; `no_endpoint`: no URL was set. */
            status: components["schemas"]["DeliveryStatus"];
            /** @description Of one that is `retrying`; else `null`. */
            nextAttemptAt: components["schemas"]["Timestamp"] | null;
            /** @description Those that have ended, the newest 30, oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description One attempt to deliver an event. */
        DeliveryAttempt: {
            /** @description Counts the attempts of the delivery; those of a redelivery go on. */
            attempt: number;
            /** @description When it began. */
            startedAt: components["schemas"]["Timestamp"];
            /** @description Until the answer, or until there was none to be had. */
            durationMs: number;
            /** @description The HTTP status of the answer; `null` when there was none. */
            status: number | null;
            /** @description Why there was no answer; else `null`. */
            error: string | null;
            /** @description The first kilobyte of the answer's body, as text. */
            body: string | null;
        };
        /** @description How far a clock was moved, and what happened on the way. */
        AdvanceResult: {
            /** @description The subscription. */
            subscriptionId: string;
            /** @description What its clock shows now. */
            now: components["schemas"]["Timestamp"];
            /** @description `false` when 60 steps or 25 seconds were not enough: call again. */
            complete: boolean;
            /** @description What has happened on the way: every due moment that made an attempt or changed the status. */
            steps: {
                /** @description By its clock. */
                at: components["schemas"]["Timestamp"];
                /** @description What was due. */
                event: string;
                /** @description The status before. */
                from: string;
                /** @description The status after. */
                to: string;
                /** @description Of the attempt; absent when there was none. */
                outcome?: string;
            }[];
            /** @description As it is now. */
            status: components["schemas"]["SubscriptionStatus"];
            /** @description Until when it is paid now; `null` before the first charge. */
            currentPeriodEnd: components["schemas"]["Timestamp"] | null;
        };
        /** @description The confirmation of a deletion. */
        Deleted: {
            /** @description What was deleted. */
            id: string;
            /**
             * @description Always `true`.
             * @constant
             */
            deleted: true;
        };
        /** @description The body of every error: no other keys. */
        Error: {
            /** @description What was wrong, what was expected, and where. For people: only the status is to be branched on. */
            error: string;
        };
        /** @description A delivery of `customer.created`. */
        CustomerCreatedEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "customer.created";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The customer. */
                customerId: string;
                /** @description `[]` when there are none. */
                wallets: {
                    /**
                     * @description Of the chains on which it pays.
                     * @enum {string}
                     */
                    chainFamily: "evm" | "solana";
                    /** @description EVM addresses with their checksum. */
                    address: string;
                }[];
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `customer.updated`. */
        CustomerUpdatedEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "customer.updated";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The customer. */
                customerId: string;
                /** @description `[]` when there are none. */
                wallets: {
                    /**
                     * @description Of the chains on which it pays.
                     * @enum {string}
                     */
                    chainFamily: "evm" | "solana";
                    /** @description EVM addresses with their checksum. */
                    address: string;
                }[];
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `customer.deleted`. */
        CustomerDeletedEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "customer.deleted";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The customer. */
                customerId: string;
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `subscription.created`. */
        SubscriptionCreatedEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "subscription.created";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The subscription. */
                subscriptionId: string;
                /** @description The offer. */
                offerId: string;
                /** @description The pricing option that is billed. */
                priceId: string;
                /**
                 * @description Always `pending`.
                 * @constant
                 */
                status: "pending";
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `subscription.active`. */
        SubscriptionActiveEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "subscription.active";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The subscription. */
                subscriptionId: string;
                /** @description The offer. */
                offerId: string;
                /** @description The pricing option that is billed. */
                priceId: string;
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `subscription.canceled`. */
        SubscriptionCanceledEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "subscription.canceled";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The subscription. */
                subscriptionId: string;
                /** @description The offer. */
                offerId: string;
                /** @description The pricing option that is billed. */
                priceId: string;
                /** @description Only when a limit of the pricing option, or the seven days past due, ended it; else absent. */
                reason?: components["schemas"]["CancelReason"];
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `payment.succeeded`. */
        PaymentSucceededEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "payment.succeeded";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The subscription. */
                subscriptionId: string;
                /** @description The cycle's payment: GET /payments/{paymentId} takes this id too. */
                invoiceId: string;
            } | {
                /** @description The payment. */
                paymentId: string;
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `payment.failed`. */
        PaymentFailedEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "payment.failed";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The subscription. */
                subscriptionId: string;
                /** @description The cycle's payment: GET /payments/{paymentId} takes this id too. */
                invoiceId: string;
                /** @description Why it failed. */
                reason: components["schemas"]["FailureReason"];
            } | {
                /** @description The payment. */
                paymentId: string;
                /** @description Why it failed. */
                reason: components["schemas"]["FailureReason"];
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `payment.canceled`. */
        PaymentCanceledEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "payment.canceled";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The payment. */
                paymentId: string;
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `wallet.updated`. */
        WalletUpdatedEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "wallet.updated";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The token that it is for. */
                tokenKey: string;
                /** @description `null` when this is the first for the token. */
                previousWallet: string | null;
                /** @description `null` when the wallet was removed. */
                newWallet: string | null;
                /**
                 * @description `dashboard`: staff did it.
                 * @enum {string}
                 */
                source: "api" | "dashboard";
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `subscription.past_due`. */
        SubscriptionPast_dueEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "subscription.past_due";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The subscription. */
                subscriptionId: string;
                /** @description The offer. */
                offerId: string;
                /** @description The pricing option that is billed. */
                priceId: string;
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `subscription.recovered`. */
        SubscriptionRecoveredEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "subscription.recovered";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The subscription. */
                subscriptionId: string;
                /** @description The offer. */
                offerId: string;
                /** @description The pricing option that is billed. */
                priceId: string;
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `subscription.at_risk`. */
        SubscriptionAt_riskEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "subscription.at_risk";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The subscription. */
                subscriptionId: string;
                /** @description The offer. */
                offerId: string;
                /** @description The pricing option that is billed. */
                priceId: string;
                /**
                 * @description What was found short.
                 * @enum {string}
                 */
                reason: "insufficient_allowance" | "insufficient_balance";
                /** @description When the charge falls due. */
                chargeAt: components["schemas"]["Timestamp"];
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `subscription.migrated`. */
        SubscriptionMigratedEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "subscription.migrated";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The subscription. */
                subscriptionId: string;
                /** @description The offer. */
                offerId: string;
                /** @description The pricing option that is billed. */
                priceId: string;
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `subscription.blocked`. */
        SubscriptionBlockedEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "subscription.blocked";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The subscription. */
                subscriptionId: string;
                /** @description The offer. */
                offerId: string;
                /** @description The pricing option that is billed. */
                priceId: string;
                /**
                 * @description Why the charge is not made: the `blockedReason` of the subscription.
                 * @enum {string}
                 */
                reason: "no_payout_wallet" | "chain_not_enabled" | "sold_out" | "merchant_suspended" | "undeliverable";
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
        /** @description A delivery of `payment.pulled`. */
        PaymentPulledEvent: {
            /** @description The same at every attempt: use it to recognise duplicates. */
            id: string;
            /**
             * @description The kind.
             * @constant
             */
            event: "payment.pulled";
            /** @description When it happened; the same at every attempt. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` for events of the test mode. */
            isSandbox: boolean;
            /** @description Ids of resources, never whole ones. */
            data: {
                /** @description The subscription. */
                subscriptionId: string;
                /** @description The cycle's payment: GET /payments/{paymentId} takes this id too. */
                invoiceId: string;
            } | {
                /** @description The payment. */
                paymentId: string;
            };
            /** @description Counts the events of one resource; a subscription's cycles count with it. Sort by it, not by arrival. */
            sequence: number;
        };
    };
    responses: {
        /** @description The request is not valid, or a rule forbids it. Only the first problem found is named. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No `X-API-Key`, an unknown or revoked one, or one of a suspended merchant: always the same answer. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The limit of this endpoint for the minute or for the day (UTC) is exceeded. This call has been counted too. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Scope": components["headers"]["X-RateLimit-Scope"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service has failed. The cause is in its log under the `X-Request-Id`; nothing of it is in the answer. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The price could not be frozen in tokens, because no exchange rate of the last ten minutes is to be had. Nothing was stored: try again shortly. */
        RateUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such resource, or it belongs to another merchant or environment. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A live key on an endpoint of the sandbox. Answered before any limit is consulted. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of this request, made by the service. Name it when you ask about an answer. */
        "X-Request-Id": string;
        /** @description Names of body fields and query parameters that the endpoint does not know and has ignored, so that a typo is found: percent-encoded, separated by a comma and a space, at most 10 names and 256 bytes. Absent when there are none. */
        "X-Ignored-Fields": string;
        /** @description `true` when the `idempotencyKey` was first used with another body. Absent otherwise. */
        "Idempotency-Mismatch": "true";
        /** @description Seconds until the exhausted window rolls over. */
        "Retry-After": number;
        /** @description The limit that was hit. */
        "X-RateLimit-Limit": number;
        /** @description Always 0. */
        "X-RateLimit-Remaining": 0;
        /** @description Unix seconds at which the window resets. */
        "X-RateLimit-Reset": number;
        /** @description `day` when the daily quota was exhausted. Absent for the per-minute guard. */
        "X-RateLimit-Scope": "day";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listCurrencies: {
        parameters: {
            query?: {
                /** @description Whether testnet chains are listed too. */
                includeTestnets?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The catalog. */
                        chains: components["schemas"]["Chain"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listOffers: {
        parameters: {
            query?: {
                /** @description Only active ones, or only inactive ones; left out, both. */
                active?: boolean;
                /** @description Only the one with this identifier. */
                identifier?: string;
                /** @description How many at most. */
                limit?: number;
                /** @description How many of the newest are left out. Not together with `startingAfter`. */
                start?: number;
                /** @description The `id` of the last one that you have: the page begins behind it, whatever has been created, changed or deleted meanwhile. It need not match the filter any more. */
                startingAfter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description One page, newest first. */
                        offers: components["schemas"]["Offer"][];
                        /** @description As asked for, or the default. A page that is shorter is the last. */
                        limit: number;
                        /** @description As asked for, or the default. */
                        start: number;
                        /** @description Whether a further page has something: go on with `startingAfter`. */
                        hasMore: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    createOffer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOfferInput"];
            };
        };
        responses: {
            /** @description The `idempotencyKey` was used before: the original resource. Nothing was made, no event is sent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "Idempotency-Mismatch": components["headers"]["Idempotency-Mismatch"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            /** @description Not valid: an unknown or repeated token, splits of the wrong chain family, a price below 1.00 USD or its equivalent, and what else is said of the fields. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Another offer has this `identifier`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["RateUnavailable"];
        };
    };
    deleteOffers: {
        parameters: {
            query?: {
                /** @description The ids, separated by commas, for clients that send no body with a DELETE. */
                ids?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeleteOffersInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OfferBatchResult"];
                };
            };
            /** @description No ids, more than 100, or ids in both places. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    updateOffers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateOffersInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OfferBatchResult"];
                };
            };
            /** @description The body as a whole is not valid: no `offers`, none or more than 100, or one without an `id`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getOffer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The offer. */
                offerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    deleteOffer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The offer. */
                offerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description There is a live subscription to it (pending, active or past due): deactivate it instead. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    updateOffer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The offer. */
                offerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateOfferInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            /** @description Not valid, a field that cannot be updated (`pricing` among them), or nothing to update. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description Another offer has this `identifier`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    addPricing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The offer. */
                offerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PricingOptionInput"];
            };
        };
        responses: {
            /** @description The offer with the new option. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            /** @description The request is not valid, or a rule forbids it. Only the first problem found is named. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description The offer has 50 options already. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["RateUnavailable"];
        };
    };
    retirePricing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The offer. */
                offerId: string;
                /** @description The pricing option. */
                priceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Offer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description It is the last active option of the offer. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listWallets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description One per registered token. */
                        wallets: components["schemas"]["Wallet"][];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    registerWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterWalletInput"];
            };
        };
        responses: {
            /** @description The address was replaced, or was the same already. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
            /** @description Registered for the first time. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
            /** @description The request is not valid, or a rule forbids it. Only the first problem found is named. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    deleteWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The wallet. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description It has an address registered. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listCustomers: {
        parameters: {
            query?: {
                /** @description Only the customer with this wallet; EVM addresses compare without regard to case. */
                walletAddress?: string;
                /** @description How many at most. */
                limit?: number;
                /** @description How many of the newest are left out. Not together with `startingAfter`. */
                start?: number;
                /** @description The `id` of the last one that you have: the page begins behind it, whatever has been created, changed or deleted meanwhile. It need not match the filter any more. */
                startingAfter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description One page, newest first. */
                        customers: components["schemas"]["Customer"][];
                        /** @description As asked for, or the default. A page that is shorter is the last. */
                        limit: number;
                        /** @description As asked for, or the default. */
                        start: number;
                        /** @description Whether a further page has something: go on with `startingAfter`. */
                        hasMore: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    createCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateCustomerInput"];
            };
        };
        responses: {
            /** @description The `idempotencyKey` was used before: the original resource. Nothing was made, no event is sent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "Idempotency-Mismatch": components["headers"]["Idempotency-Mismatch"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            /** @description The request is not valid, or a rule forbids it. Only the first problem found is named. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Another customer has one of the wallets. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The customer. */
                customerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    deleteCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The customer. */
                customerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    updateCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The customer. */
                customerId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateCustomerInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            /** @description Not valid, a field that cannot be updated, or nothing to update. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description Another customer has the wallet, or a live subscription bills the one that would be removed or replaced. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /** @description Only those in this state. */
                status?: components["schemas"]["SubscriptionStatus"];
                /** @description Only those of this customer. */
                customerId?: string;
                /** @description Only those to this offer. */
                offerId?: string;
                /** @description How many at most. */
                limit?: number;
                /** @description How many of the newest are left out. Not together with `startingAfter`. */
                start?: number;
                /** @description The `id` of the last one that you have: the page begins behind it, whatever has been created, changed or deleted meanwhile. It need not match the filter any more. */
                startingAfter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description One page, newest first. */
                        subscriptions: components["schemas"]["Subscription"][];
                        /** @description As asked for, or the default. A page that is shorter is the last. */
                        limit: number;
                        /** @description As asked for, or the default. */
                        start: number;
                        /** @description Whether a further page has something: go on with `startingAfter`. */
                        hasMore: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    createSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSubscriptionInput"];
            };
        };
        responses: {
            /** @description The `idempotencyKey` was used before: the original resource. Nothing was made, no event is sent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "Idempotency-Mismatch": components["headers"]["Idempotency-Mismatch"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            /** @description Not valid: a one-time or retired option, an offer that is inactive, expired or sold out, no `tokenKey` where the option accepts several. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description No such pricing option, or not of this `offerId`, or no such customer. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionStatusView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    deleteSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description It is canceled already. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    updateSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateSubscriptionInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            /** @description Not valid, a field that cannot be updated, or nothing to update. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    cancelSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelSubscriptionInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description It is canceled already. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    retrySubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionStatusView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description No charge has failed or is blocked, an attempt is in flight, or none can be made; the message says which. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    resumeSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionStatusView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description It is canceled, or active without a scheduled cancel. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    migrateSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The subscription. */
                subscriptionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MigrateSubscriptionInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The subscription. */
                        id: string;
                        /**
                         * @description The intent is recorded; nothing has changed yet.
                         * @constant
                         */
                        status: "pending_authorization";
                        /** @description The pricing option asked for. */
                        priceId: string;
                        /** @description The same. */
                        pendingOfferPriceId: string;
                        /** @description The same. */
                        pendingPriceId: string;
                        /**
                         * Format: uri
                         * @description Where the payer authorizes the new terms; lives 30 days, or until a further migration replaces this one.
                         */
                        authorizationUrl: string;
                    };
                };
            };
            /** @description Not valid: not an option of this offer, a one-time, retired or the present one; or the subscription is canceled. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /** @description Only those in this state. */
                status?: components["schemas"]["PaymentStatus"];
                /** @description `one_time` or `subscription`; left out, both. */
                source?: components["schemas"]["PaymentSource"];
                /** @description Only those of this customer. */
                customerId?: string;
                /** @description Only the cycles of this subscription. */
                subscriptionId?: string;
                /** @description Only those for this offer. */
                offerId?: string;
                /** @description How many at most. */
                limit?: number;
                /** @description How many of the newest are left out. Not together with `startingAfter`. */
                start?: number;
                /** @description The `id` of the last one that you have: the page begins behind it, whatever has been created, changed or deleted meanwhile. It need not match the filter any more. */
                startingAfter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description One page, newest first. */
                        payments: components["schemas"]["Payment"][];
                        /** @description As asked for, or the default. A page that is shorter is the last. */
                        limit: number;
                        /** @description As asked for, or the default. */
                        start: number;
                        /** @description Whether a further page has something: go on with `startingAfter`. */
                        hasMore: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    createPayment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePaymentInput"];
            };
        };
        responses: {
            /** @description The `idempotencyKey` was used before: the original payment, as it is now. Nothing is charged again. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    "Idempotency-Mismatch": components["headers"]["Idempotency-Mismatch"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedPayment"];
                };
            };
            /** @description Made, whether it has settled or failed: check `status`. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedPayment"];
                };
            };
            /** @description The request is not valid, or a rule forbids it. Only the first problem found is named. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description There is no such customer. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Another merchant has used this `idempotencyKey`. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The payment: `pay_…`; of a cycle, `inv_…` and `sub-pay-…` too. */
                paymentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getPaymentProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The payment: `pay_…`; of a cycle, `inv_…` and `sub-pay-…` too. */
                paymentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProofOfCharge"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description The payment is not settled, its transaction is in no block at the moment, or the service has no key to sign with. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    cancelPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The payment: `pay_…`; of a cycle, `inv_…` and `sub-pay-…` too. */
                paymentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description It is not pending any more, its charge has been started, or it is a cycle: then cancel the subscription. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    setWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SetWebhookEndpointInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description Not valid: a URL that leads to a private, loopback or link-local address, http in live mode, credentials in it; a field that cannot be updated, or nothing to update. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether there is one: it is made when a URL is first saved. */
                        configured: boolean;
                        /** @description The live URL; empty when unset. */
                        webhookUrl: string;
                        /** @description The sandbox URL; empty when unset. */
                        webhookUrlTest: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecretInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The new secret: the HMAC key is this text as it stands. Shown only here. */
                        secret: string;
                        /** @description When it took effect. */
                        rotatedAt: components["schemas"]["Timestamp"];
                    };
                };
            };
            /** @description The request is not valid, or a rule forbids it. Only the first problem found is named. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description There is none yet: set a webhook URL first. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Only those of this kind. */
                event?: components["schemas"]["EventKind"];
                /** @description How many at most. */
                limit?: number;
                /** @description How many of the newest are left out. Not together with `startingAfter`. */
                start?: number;
                /** @description The `id` of the last one that you have: the page begins behind it, whatever has been created, changed or deleted meanwhile. It need not match the filter any more. */
                startingAfter?: string;
                /** @description Seconds for which a further event is waited for. */
                wait?: number;
                /** @description With `wait`: ids of the newest events that you have, comma separated, at most 20. If another one is among the as many newest, nothing is waited for. */
                known?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description One page, newest first. */
                        events: components["schemas"]["Event"][];
                        /** @description As asked for, or the default. A page that is shorter is the last. */
                        limit: number;
                        /** @description As asked for, or the default. */
                        start: number;
                        /** @description Whether a further page has something: go on with `startingAfter`. */
                        hasMore: boolean;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The event: `evt_…`. */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    redeliverEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The event: `evt_…`. */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventRecord"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description An attempt is under way or still to come, or no webhook URL is set. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    sandboxCharge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxChargeInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description `pending`: not known after 25 seconds; `skipped`: no attempt was made; `canceled`: a limit has ended the subscription.
                         * @enum {string}
                         */
                        outcome: "settled" | "failed" | "pending" | "skipped" | "canceled";
                        /** @description The payment of the cycle; absent when there is none. */
                        paymentId?: string;
                        /** @description Why it failed or was skipped (`not_authorized`, `in_flight`, `no_payout_wallet`, `not_enabled`, `sold_out`); absent otherwise. */
                        reason?: string;
                    };
                };
            };
            /** @description The request is not valid, or a rule forbids it. Only the first problem found is named. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The subscription is canceled, or paid until after `9000-01-01T00:00:00.000Z` already. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    sandboxAdvance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxAdvanceInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdvanceResult"];
                };
            };
            /** @description Not valid, more than one of `to`, `days` and `status`, or what is past or after the end of all clocks. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The subscription is canceled, or `status` `active` cannot be reached without an allowance on chain, or what is due next is after the end of all clocks. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    customerCreatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerCreatedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    customerUpdatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerUpdatedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    customerDeletedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerDeletedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    subscriptionCreatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionCreatedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    subscriptionActiveEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionActiveEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    subscriptionCanceledEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionCanceledEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    paymentSucceededEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentSucceededEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    paymentFailedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentFailedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    paymentCanceledEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentCanceledEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    walletUpdatedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletUpdatedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    subscriptionPastDueEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionPast_dueEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    subscriptionRecoveredEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionRecoveredEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    subscriptionAtRiskEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionAt_riskEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    subscriptionMigratedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionMigratedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    subscriptionBlockedEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionBlockedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    paymentPulledEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, with the signing secret as it stands (`whsec_` included) as the key, over the timestamp, a dot and the raw body. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the secret before the last rotation, while the overlap of that rotation lasts. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentPulledEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else, a redirect too, or nothing within 15 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
