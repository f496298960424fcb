/**
 * The types of the merchant API, made from its OpenAPI document by `npm run build -- client`. Not to be edited.
 */

export interface paths {
    "/currencies": {
        parameters: {};
        /**
         * List the chains and tokens that can be charged
         * @description The tokens that offers, wallets and payments can name. Each chain has the address that payers of this merchant approve if they do not sign at the checkout.
         *
         *     Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["listCurrencies"];
    };
    "/offers": {
        parameters: {};
        /**
         * List offers, newest first
         * @description Deleted offers are not listed.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listOffers"];
        /**
         * Create an offer together with its pricing options
         * @description Creates the offer, its options and its checkout URL in one call. A price in US dollars or a dollar stablecoin needs no exchange rate: one dollar is one token. Any other price is converted to tokens immediately, with an exchange rate no older than ten minutes, rounded up, and never changes again.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["createOffer"];
    };
    "/offers/batch": {
        parameters: {};
        /**
         * Delete up to 100 offers, each on its own
         * @description One metered call. Each offer is deleted by itself, with the answer of DELETE /offers/{offerId}; a refusal of one does not stop the others.
         *
         *     Live keys: 20 calls a minute, 5,000 a day. Test keys: 10 calls a minute, 2,000 a day.
         */
        delete: operations["deleteOffers"];
        /**
         * Update up to 100 offers, each on its own
         * @description One metered call. Each item is updated by itself, with the answer of PATCH /offers/{offerId}; a failure of one does not stop the others.
         *
         *     Live keys: 20 calls a minute, 5,000 a day. Test keys: 10 calls a minute, 2,000 a day.
         */
        patch: operations["updateOffers"];
    };
    "/offers/{offerId}": {
        parameters: {};
        /**
         * Read an offer
         * @description Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getOffer"];
        /**
         * Delete an offer without live subscriptions, for good
         * @description The offer is gone for good, and its `identifier` is free again. To stop sales while subscriptions continue, set `active` to `false` instead.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        delete: operations["deleteOffer"];
        /**
         * Update an offer; its pricing options are immutable
         * @description A field that is left out does not change; `null` clears an optional field. Pricing options are immutable: add one and retire the other.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        patch: operations["updateOffer"];
    };
    "/offers/{offerId}/pricing": {
        parameters: {};
        /**
         * Add a pricing option to an offer
         * @description The other options and `checkoutUrl` do not change. The price is converted to tokens as in POST /offers.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["addPricing"];
    };
    "/offers/{offerId}/pricing/{priceId}": {
        parameters: {};
        /**
         * Retire a pricing option; existing subscriptions keep billing
         * @description The option stays in `pricing` with `active` `false`: it takes no new subscriptions, existing ones keep billing. A repeated call has the same answer.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        delete: operations["retirePricing"];
    };
    "/wallets": {
        parameters: {};
        /**
         * List payout wallets, one per token
         * @description All wallets, one per token, without pages.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listWallets"];
        /**
         * Register the payout wallet of a token, or replace its address in place
         * @description From now on every charge in this token is paid out to this address, also if a pricing option names another destination. Charges of payers who signed a mandate before follow at `effectiveAt`; until then they pay the address before. An existing wallet keeps its id and gets the new address. Emits `wallet.updated`, unless nothing has changed.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["registerWallet"];
    };
    "/wallets/{id}": {
        parameters: {};
        /**
         * Delete a payout wallet without an address
         * @description Refused while an address is registered: register another one instead, with POST /wallets. Only a wallet whose address staff have removed can be deleted. Its id is then gone for good: another DELETE is a 404, and POST /wallets makes another row.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        delete: operations["deleteWallet"];
    };
    "/customers": {
        parameters: {};
        /**
         * List customers, newest first, or find them by wallet, e-mail address or your id
         * @description Deleted customers are not listed.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listCustomers"];
        /**
         * Create a customer
         * @description An empty object is a valid call. Emits `customer.created`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["createCustomer"];
    };
    "/customers/{customerId}": {
        parameters: {};
        /**
         * Read a customer
         * @description Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getCustomer"];
        /**
         * Delete a customer and cancel its live subscriptions, for good
         * @description Frees the wallets for another customer, clears email, phone and name, and cancels every live subscription (one `subscription.canceled` each, without a `reason`). Payments are kept. Emits `customer.deleted`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        delete: operations["deleteCustomer"];
        /**
         * Update a customer; a missing field does not change, null clears
         * @description Wallets are merged per chain family: an entry replaces the wallet of its family, one with `address: null` removes it, and `wallets: null` removes all. A wallet that a live subscription bills can be neither removed nor replaced (409). The first wallet of a family is billed by the live subscriptions of that family that have none yet. Emits `customer.updated`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        patch: operations["updateCustomer"];
    };
    "/customers/{customerId}/portal-session": {
        parameters: {};
        /**
         * Create a link to the portal for one customer
         * @description At this link the customer sees their subscriptions and payments at this merchant, and can end a subscription or take a scheduled end back, without a signature. Make it when the customer asks for it, and redirect; only this answer shows it.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["createPortalSession"];
    };
    "/subscriptions": {
        parameters: {};
        /**
         * List subscriptions, newest first
         * @description Canceled subscriptions are listed too, unless `status` excludes them.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listSubscriptions"];
        /**
         * Subscribe a customer to an offer's recurring pricing option
         * @description The subscription is `pending` until the first charge settles. That charge is made as soon as the payer has authorized it on chain: at `authorizationUrl`, or by any approval of the operator from the wallet of the customer. Emits `subscription.created`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["createSubscription"];
    };
    "/subscriptions/{subscriptionId}": {
        parameters: {};
        /**
         * Read the status of a subscription, with its last invoice
         * @description The status view. `lastInvoice` is the newest attempted cycle.
         *
         *     Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getSubscription"];
        /**
         * Cancel a subscription now; its record is kept
         * @description The same as a cancel without `atPeriodEnd`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        delete: operations["deleteSubscription"];
        /**
         * Replace the custom variables of a subscription, its only mutable field
         * @description Replaces `customVariables` as a whole.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        patch: operations["updateSubscription"];
    };
    "/subscriptions/{subscriptionId}/cancel": {
        parameters: {};
        /**
         * Cancel a subscription, now or at the end of its period
         * @description The state is final, and no new attempt follows. A charge that has been started may still settle; the subscription stays canceled. Emits `subscription.canceled` without a `reason`. With `atPeriodEnd` only `cancelAt` is set now; POST …/resume clears it.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["cancelSubscription"];
    };
    "/subscriptions/{subscriptionId}/retry": {
        parameters: {};
        /**
         * Try a failed or blocked charge of a subscription again now
         * @description Makes one attempt of a failed cycle, or of a charge that `blockedReason` blocks. Answers when the outcome is known, or after 25 seconds. 409 without such a charge, while an attempt is in flight, or while the cause still blocks it.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["retrySubscription"];
    };
    "/subscriptions/{subscriptionId}/resume": {
        parameters: {};
        /**
         * Clear a scheduled cancel, and make a due charge that would now succeed
         * @description Clears a scheduled cancel. While the subscription is pending or past due, it also checks the chain, and makes one attempt if a charge is due and would succeed. Answers when the attempt has ended, or after 25 seconds.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["resumeSubscription"];
    };
    "/subscriptions/{subscriptionId}/migrate": {
        parameters: {};
        /**
         * Ask the payer to authorize another pricing option of the same offer
         * @description Records the intent, and replaces an earlier one. The subscription keeps its present terms until the payer has authorized the new ones at `authorizationUrl`; an abandoned migration changes nothing.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["migrateSubscription"];
    };
    "/payments": {
        parameters: {};
        /**
         * List payments, newest first
         * @description Direct charges, one-time checkouts, and attempted cycles of subscriptions.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listPayments"];
        /**
         * Charge a wallet once
         * @description Pulls `amount` from `fromWallet`, which must have approved the operator of this merchant (GET /currencies), takes the fee, and pays `toWallet`. That approval is consent to whatever this merchant charges; what a payer has signed and approved at the checkout is out of its reach. Answers with the outcome. If the outcome is unknown after 25 seconds, the answer is `pending` or `pulled`, and an event reports the end. A `wallet_transfer` is answered immediately, with the deposit address.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["createPayment"];
    };
    "/payments/{paymentId}": {
        parameters: {};
        /**
         * Read a payment
         * @description The deposit address is not repeated here; only POST /payments returns it.
         *
         *     Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getPayment"];
    };
    "/payments/{paymentId}/proof": {
        parameters: {};
        /**
         * Prove that a payment was charged
         * @description The agreement and the charge on the chain, signed. The body is canonical JSON (RFC 8785): keep its bytes unchanged. `tideline verify-proof FILE --rpc URL` (`npx @tideline/cli`) checks them against any node of the chain, without the service. The keys are published at `/.well-known/jwks.json`.
         *
         *     Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getPaymentProof"];
    };
    "/payments/{paymentId}/cancel": {
        parameters: {};
        /**
         * Cancel a payment whose charge has not been started
         * @description Possible only before the charge is broadcast. Emits `payment.canceled`.
         *
         *     Live keys: 60 calls a minute, 15,000 a day. Test keys: 30 calls a minute, 5,000 a day.
         */
        post: operations["cancelPayment"];
    };
    "/revenue": {
        parameters: {};
        /**
         * Get the revenue by day or month, offer and token
         * @description Monthly recurring revenue as of now, and what happened in each period: settled, recovered and failed payments, new and ended subscriptions. The figures are those of the lists. Periods in which nothing happened are left out. Without a start in `created`: the last 30 days, or 365 days by month.
         *
         *     Live keys: 20 calls a minute, 5,000 a day. Test keys: 10 calls a minute, 2,000 a day.
         */
        get: operations["getRevenue"];
    };
    "/webhooks/endpoint": {
        parameters: {};
        /**
         * Read where the key's environment delivers its events
         * @description `effectiveUrl` is the present URL of deliveries: a sandbox without its own URL uses the live one.
         *
         *     Live keys: 60 calls a minute, 5,000 a day. Test keys: 30 calls a minute, 2,000 a day.
         */
        get: operations["getWebhookEndpoint"];
        /**
         * Set where the key's environment delivers its events; an empty url unsets it
         * @description Changes the key's own environment and never the other. The first saved URL creates the signing secret; POST /webhooks/secret/rotate shows a new one.
         *
         *     Live keys: 60 calls a minute, 5,000 a day. Test keys: 30 calls a minute, 2,000 a day.
         */
        patch: operations["setWebhookEndpoint"];
    };
    "/webhooks/secret": {
        parameters: {};
        /**
         * Read whether a signing secret exists; the secret itself is never returned
         * @description One secret serves both environments, so both keys get the same answer.
         *
         *     Live keys: 60 calls a minute, 5,000 a day. Test keys: 30 calls a minute, 2,000 a day.
         */
        get: operations["getWebhookSecret"];
    };
    "/webhooks/secret/rotate": {
        parameters: {};
        /**
         * Replace the signing secret; the new one is shown here and never again
         * @description One secret signs the events of both environments.
         *
         *     Live keys: 10 calls a minute, 200 a day. Test keys: 10 calls a minute, 200 a day.
         */
        post: operations["rotateWebhookSecret"];
    };
    "/events": {
        parameters: {};
        /**
         * List events, newest first, or wait for the next one
         * @description Each event as it is delivered, also without a URL. With `wait` the answer comes when a new event arrives, at the latest after that time, and is the page at that moment.
         *
         *     To follow the log, send the first ids of your last page as `known`: the call then returns at once if an event arrived between two calls. Recognise events that you have seen by `id`. After a crash of the service an event can appear after newer ones, so read the last minutes of the log again from time to time.
         *
         *     Live keys: 120 calls a minute, 30,000 a day. Test keys: 60 calls a minute, 10,000 a day.
         */
        get: operations["listEvents"];
    };
    "/events/{eventId}": {
        parameters: {};
        /**
         * Read an event with its deliveries and their attempts
         * @description Live keys: 240 calls a minute, 60,000 a day. Test keys: 120 calls a minute, 20,000 a day.
         */
        get: operations["getEvent"];
    };
    "/events/{eventId}/redeliver": {
        parameters: {};
        /**
         * Deliver an event once more
         * @description Delivers immediately, to the present URL, with the same `id` and six new attempts, also after a success or failure. If the event waits for a retry, that attempt is made now. The answer does not wait for it.
         *
         *     Live keys: 10 calls a minute, 200 a day. Test keys: 10 calls a minute, 200 a day.
         */
        post: operations["redeliverEvent"];
    };
    "/sandbox/charge": {
        parameters: {};
        /**
         * Run one of a subscription's billing cycles now
         * @description Does the work of the billing job, due or not: it charges the next period ahead, and ends a trial. Answers when the outcome is known.
         *
         *     Test keys only. Test keys: 30 calls a minute, 2,000 a day.
         */
        post: operations["sandboxCharge"];
    };
    "/sandbox/advance": {
        parameters: {};
        /**
         * Move a subscription's clock forward and bill all charges that fall due
         * @description Each sandbox subscription has its own clock, which only moves forward: to its next due moment, or as far as `to`, `days` or `status` demands. All charges that fall due are made, as they would be in real time. Ids, `createdAt`, events, charges and limits keep real time.
         *
         *     Test keys only. Test keys: 30 calls a minute, 2,000 a day.
         */
        post: operations["sandboxAdvance"];
    };
}
export interface webhooks {
    "customer.created": {
        parameters: {};
        /**
         * A customer was created
         * @description Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["customerCreatedEvent"];
    };
    "customer.updated": {
        parameters: {};
        /**
         * A customer was updated
         * @description Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["customerUpdatedEvent"];
    };
    "customer.deleted": {
        parameters: {};
        /**
         * A customer was deleted
         * @description Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["customerDeletedEvent"];
    };
    "subscription.created": {
        parameters: {};
        /**
         * A subscription was created, not yet authorized on chain
         * @description Sent immediately after POST /subscriptions has made it; a replay of the call sends nothing.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionCreatedEvent"];
    };
    "subscription.active": {
        parameters: {};
        /**
         * The first charge of a subscription has settled
         * @description Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionActiveEvent"];
    };
    "subscription.canceled": {
        parameters: {};
        /**
         * A subscription was canceled
         * @description `reason` is present only if billing ended it: `max_cycles_reached`, or `max_failed_cycles_reached`, which also means seven days past due.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionCanceledEvent"];
    };
    "payment.succeeded": {
        parameters: {};
        /**
         * A charge has settled
         * @description A cycle has `subscriptionId` and `invoiceId`, a one-off payment has `paymentId`.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["paymentSucceededEvent"];
    };
    "payment.failed": {
        parameters: {};
        /**
         * A charge has failed
         * @description A cycle has `subscriptionId` and `invoiceId`, a one-off payment has `paymentId`; both have `reason`.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["paymentFailedEvent"];
    };
    "payment.canceled": {
        parameters: {};
        /**
         * A pending one-off payment was canceled
         * @description Sent for POST /payments/{paymentId}/cancel. A canceled cycle sends nothing.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["paymentCanceledEvent"];
    };
    "wallet.updated": {
        parameters: {};
        /**
         * The payout wallet of a token was registered, changed or removed
         * @description Watch this event: a changed payout wallet redirects money. After a removal, payouts go to another registered wallet of the chain or to the destination on the pricing option. Payers who signed a mandate before pay a new wallet from its `effectiveAt` on: until then there is time to act.
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["walletUpdatedEvent"];
    };
    "subscription.past_due": {
        parameters: {};
        /**
         * A renewal has failed
         * @description Sent only to an endpoint with `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionPastDueEvent"];
    };
    "subscription.recovered": {
        parameters: {};
        /**
         * A past due subscription is paid
         * @description Sent only to an endpoint with `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionRecoveredEvent"];
    };
    "subscription.at_risk": {
        parameters: {};
        /**
         * The wallet could not pay the next charge at present
         * @description Seven, three and one day before a renewal or the end of a trial, if the period is that long, the service checks allowance and balance, and sends this if one is too small. Nothing has failed yet.
         *
         *     Sent only to an endpoint with `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionAtRiskEvent"];
    };
    "subscription.migrated": {
        parameters: {};
        /**
         * Other terms have taken effect
         * @description Sent when the payer has authorized them and, for an active subscription, its period has ended.
         *
         *     Sent only to an endpoint with `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionMigratedEvent"];
    };
    "subscription.blocked": {
        parameters: {};
        /**
         * A due charge is blocked, and the payer is not the cause
         * @description Sent once when `blockedReason` of a subscription is set, and again when the reason changes, but not at each try. Nothing has failed, no attempt is counted and no grace period runs. The charge is made when the cause is gone.
         *
         *     Sent only to an endpoint with `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["subscriptionBlockedEvent"];
    };
    "payment.pulled": {
        parameters: {};
        /**
         * A charge is in a block, and not yet final
         * @description A cycle has `subscriptionId` and `invoiceId`, a one-off payment has `paymentId`.
         *
         *     Sent only to an endpoint with `extraEvents` (PATCH /webhooks/endpoint).
         *
         *     Check the signature over the exact bytes of the body before parsing it, and answer with any 2xx within 15 seconds.
         */
        post: operations["paymentPulledEvent"];
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
         * @description One charge, or recurring charges.
         * @enum {string}
         */
        BillingType: "recurring" | "one_time";
        /**
         * @description The unit of a cycle.
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
         * @description The purpose of a payment: a single charge, or a cycle of a subscription.
         * @enum {string}
         */
        PaymentSource: "one_time" | "subscription";
        /**
         * @description Pulled from a wallet that has approved, or sent to a deposit address.
         * @enum {string}
         */
        PaymentMethod: "wallet_connect" | "wallet_transfer";
        /**
         * @description Why a charge failed; only one-off payments have the last three.
         * @enum {string}
         */
        FailureReason: "insufficient_allowance" | "insufficient_balance" | "pull_reverted" | "forward_reverted" | "platform_transfer_reverted" | "distribute_reverted";
        /**
         * @description The kinds of events; the last five need `extraEvents`.
         * @enum {string}
         */
        EventKind: "customer.created" | "customer.updated" | "customer.deleted" | "subscription.created" | "subscription.active" | "subscription.canceled" | "payment.succeeded" | "payment.failed" | "payment.canceled" | "wallet.updated" | "subscription.past_due" | "subscription.recovered" | "subscription.at_risk" | "subscription.migrated" | "subscription.blocked" | "payment.pulled";
        /**
         * @description The progress of a delivery.
         * @enum {string}
         */
        DeliveryStatus: "queued" | "sending" | "retrying" | "delivered" | "failed" | "no_endpoint";
        /**
         * @description The limit that ended a subscription.
         * @enum {string}
         */
        CancelReason: "max_cycles_reached" | "max_failed_cycles_reached";
        /** @description A new pricing option. */
        PricingOptionInput: {
            /** @description Shown at checkout. */
            label?: string | null;
            /** @description The price in `currency`: a decimal string, at least 1.00 USD or its equivalent. */
            amount: string;
            /** @description `USD` (the default), `EUR`, `GBP` or a ticker of the catalog. USD, USDC and USDT count as a dollar each; a price in another currency is converted to tokens immediately, at its exchange rate. */
            currency?: string | null;
            /** @description Token keys of the catalog, each once. A live key takes mainnet tokens only; an offer with `splitEvm` takes EVM tokens only. */
            acceptedTokens: string[];
            /** @description One charge, or the interval of recurring ones. */
            billing: {
                /** @description One charge or recurring charges. */
                type: components["schemas"]["BillingType"];
                /** @description Required for `recurring`, absent for `one_time`. */
                interval?: components["schemas"]["BillingInterval"] | null;
                /** @description The number of intervals in a cycle; default: 1. For `recurring` only. */
                intervalCount?: number | null;
            };
            /** @description Days until the first charge. For `recurring` only. */
            trialDays?: number | null;
            /** @description The number of paid cycles after which the subscription is canceled; default: no limit. For `recurring` only. */
            maxCycles?: number | null;
            /** @description The number of failed attempts in a row after which the subscription is canceled. For `recurring` only. */
            maxFailedCycles?: number | null;
            /** @description The receiver of the money for accepted tokens without a registered wallet: an address on one of their chains, or one per family. Not zero, no token, not the operator; on Solana a wallet, no token account or program, and for a live key with an account for each accepted token. */
            merchantDestinationWallet?: string | {
                /** @description An EVM address. */
                evm?: string | null;
                /** @description A Solana address. */
                solana?: string | null;
            } | null;
        };
        /** @description The body of createOffer. */
        CreateOfferInput: {
            /** @description The name of the product. */
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
            /** @description The number that may be sold; not below the number already taken. */
            availableQuantity?: number | null;
            /**
             * Format: date-time
             * @description After this time it accepts no new customers. Any zone; kept in UTC.
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
            /** @description Free-form, kept as sent: the questions of a checkout. At most 16 KB of JSON. */
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
            /** @description The receivers of shares of the merchant's part on EVM chains: at most 100 percent together; the rest is paid out as usual. An empty list is the same as none. Cannot be changed later. */
            splitEvm?: {
                /** @description An EVM address, not zero, each once. */
                address: string;
                /** @description The share of the merchant amount, in percent: more than 0, at most 2 decimal places. */
                percentage: string;
            }[] | null;
            /** @description Must be absent or empty: Solana payouts cannot be split. */
            splitSolana?: components["schemas"]["JsonValue"][] | null;
            /** @description The receiver of the money for options without their own `merchantDestinationWallet`, for tokens without a registered wallet. */
            merchantDestinationWallet?: string | {
                /** @description An EVM address. */
                evm?: string | null;
                /** @description A Solana address. */
                solana?: string | null;
            } | null;
            /** @description A repeat with the same key returns the resource of the first call. Without a key, every call makes a new one. */
            idempotencyKey?: string | null;
        };
        /** @description The body of updateOffers. */
        UpdateOffersInput: {
            /** @description The updates. Each has its own result, with its own error. */
            offers: {
                /** @description The offer to update. */
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
                /** @description The number that may be sold; not below the number already taken. */
                availableQuantity?: number | null;
                /**
                 * Format: date-time
                 * @description After this time it accepts no new customers. Any zone; kept in UTC.
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
                /** @description Free-form, kept as sent: the questions of a checkout. At most 16 KB of JSON. */
                collectFields?: {
                    [key: string]: components["schemas"]["JsonValue"];
                } | null;
                /** @description Free-form, kept as sent. At most 16 KB of JSON. */
                allowedPaymentMethods?: {
                    [key: string]: components["schemas"]["JsonValue"];
                } | null;
                /** @description Merged with the present keys; `null` removes a key, or all of them. At most 16 KB of JSON afterwards. */
                metadata?: {
                    [key: string]: string | null;
                } | null;
                /** @description The merchant's own reference. */
                reference?: string | null;
                /** @description The name of the product. */
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
            /** @description The number that may be sold; not below the number already taken. */
            availableQuantity?: number | null;
            /**
             * Format: date-time
             * @description After this time it accepts no new customers. Any zone; kept in UTC.
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
            /** @description Free-form, kept as sent: the questions of a checkout. At most 16 KB of JSON. */
            collectFields?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /** @description Free-form, kept as sent. At most 16 KB of JSON. */
            allowedPaymentMethods?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /** @description Merged with the present keys; `null` removes a key, or all of them. At most 16 KB of JSON afterwards. */
            metadata?: {
                [key: string]: string | null;
            } | null;
            /** @description The merchant's own reference. */
            reference?: string | null;
            /** @description The name of the product. */
            name?: string;
        };
        /** @description The body of registerWallet. */
        RegisterWalletInput: {
            /** @description The token to pay out. A live key takes mainnet tokens only. */
            tokenKey: string;
            /** @description The receiver: an address on the token's chain; not zero, no token, not the operator; on Solana a wallet, no token account or program, and for a live key with an account for the token. */
            receiverWallet: string;
        };
        /** @description The body of createCustomer. */
        CreateCustomerInput: {
            /** @description At most one per chain family. No other customer of this mode may have one of them. EVM addresses compare without regard to case. A wallet must be able to sign: on Solana no token account, mint, program or address off the curve. */
            wallets?: {
                /** @description The kind of chains on which it pays. */
                chainFamily: components["schemas"]["ChainFamily"];
                /** @description An address of that family, not zero. */
                address: string;
            }[] | null;
            /** @description A short form of an entry of `wallets`; the form of the address gives the family. If `wallets` has that family too, both must be the same. */
            walletAddress?: string;
            /** @description The merchant's own name for the customer. */
            merchantReferenceId?: string | null;
            /** @description An e-mail address. */
            email?: string | null;
            /** @description As people read it. */
            phone?: string | null;
            /** @description As people read it. */
            name?: string | null;
            /** @description A repeat with the same key returns the resource of the first call. Without a key, every call makes a new one. */
            idempotencyKey?: string | null;
        };
        /** @description The body of updateCustomer. */
        UpdateCustomerInput: {
            /** @description Merged per chain family; `null` removes all. */
            wallets?: {
                /** @description The family of the wallet. */
                chainFamily: components["schemas"]["ChainFamily"];
                /** @description The new wallet; `null` removes the present one. */
                address: string | null;
            }[] | null;
            /** @description A short form of an entry of `wallets`; the form of the address gives the family. If `wallets` has that family too, both must be the same. */
            walletAddress?: string;
            /** @description The merchant's own name for the customer. */
            merchantReferenceId?: string | null;
            /** @description An e-mail address. */
            email?: string | null;
            /** @description As people read it. */
            phone?: string | null;
            /** @description As people read it. */
            name?: string | null;
        };
        /** @description The body of createPortalSession. */
        CreatePortalSessionInput: {
            /** @description Where the portal leads back to: an https URL. */
            returnUrl?: string | null;
        };
        /** @description The body of createSubscription. */
        CreateSubscriptionInput: {
            /** @description The pricing option: recurring and active, of an open offer. Required, under this name or the next. */
            priceId?: string | null;
            /** @description Another name for `priceId`; if both are sent, they must be the same. */
            offerPriceId?: string | null;
            /** @description The subscriber. The wallet may follow later, with the authorization. */
            customerId: string;
            /** @description If sent, it must be the offer of the pricing option. */
            offerId?: string | null;
            /** @description One of the accepted tokens of the option. Required if it accepts several. */
            tokenKey?: string | null;
            /** @description The merchant's own data: at most 50 keys and 8 KB of JSON. */
            customVariables?: {
                [key: string]: string | number | boolean;
            } | null;
            /** @description Opaque. Only together with `affiliateCommissionPct`; moves no money. */
            affiliatePartnerId?: string | null;
            /** @description A decimal string from 0 to 100, at most 2 decimal places. Only together with `affiliatePartnerId`. */
            affiliateCommissionPct?: string | null;
            /** @description A repeat with the same key returns the resource of the first call. Without a key, every call makes a new one. */
            idempotencyKey?: string | null;
        };
        /** @description The body of updateSubscription. */
        UpdateSubscriptionInput: {
            /** @description Replaces the present variables; `null` empties them. At most 50 keys and 8 KB of JSON. */
            customVariables?: {
                [key: string]: string | number | boolean;
            } | null;
        };
        /** @description The body of cancelSubscription. */
        CancelSubscriptionInput: {
            /** @description `true` ends it at `currentPeriodEnd`; if that is `null` or past, it ends now. */
            atPeriodEnd?: boolean | null;
        };
        /** @description The body of migrateSubscription. */
        MigrateSubscriptionInput: {
            /** @description Another recurring, active pricing option of the same offer. */
            priceId: string;
            /** @description The token for the new option. Required if the option does not accept the present token. */
            tokenKey?: string | null;
        };
        /** @description The body of createPayment. */
        CreatePaymentInput: {
            /** @description The address to pay, on the token's chain; not zero, no token, not the operator, not `fromWallet`; on Solana a wallet, no token account or program, and for a live key with an account for the token. */
            toWallet: string;
            /** @description The amount that the payer pays, in token units: more than zero, with no more decimals than the token has. */
            amount: string;
            /** @description The token. Its chain must be enabled; a live key takes mainnet tokens only. */
            tokenKey: string;
            /** @description Required. A repeat with the same key returns the payment of the first call and never charges twice. */
            idempotencyKey: string;
            /** @description `wallet_connect` (the default) pulls from `fromWallet`; `wallet_transfer` returns an address to which the payer sends the amount. */
            paymentMethod?: components["schemas"]["PaymentMethod"] | null;
            /** @description The wallet to charge. It has approved the operator, and can sign; on Solana no token account, mint, program or address off the curve. For `wallet_connect` without `customerId` it is required; with `customerId` the default is the customer’s wallet of the token’s family. Absent for `wallet_transfer`. */
            fromWallet?: string | null;
            /** @description The customer, if any. */
            customerId?: string | null;
            /** @description Opaque. Only together with `affiliateCommissionPct`; moves no money. */
            affiliatePartnerId?: string | null;
            /** @description A decimal string from 0 to 100, at most 2 decimal places. Only together with `affiliatePartnerId`. */
            affiliateCommissionPct?: string | null;
            /** @description The merchant's own notes: string to string. At most 16 KB of JSON. */
            metadata?: {
                [key: string]: string;
            } | null;
            /** @description The receiver of money that a deposit does not use: an address on the token's chain, as for `toWallet`. Without it such money is held, and never returned to its sender. */
            refundWallet?: string | null;
        };
        /** @description The body of setWebhookEndpoint. */
        SetWebhookEndpointInput: {
            /** @description An http or https URL (https only in live mode) to public addresses, without credentials; empty unsets it. */
            url?: string;
            /** @description `true` if the extra kinds of events are delivered too. */
            extraEvents?: boolean;
        };
        /** @description The body of rotateWebhookSecret. */
        RotateWebhookSecretInput: {
            /** @description Seconds for which deliveries are also signed with the old secret, in `X-Service-Signature-Previous`. Default: 0, the old secret ends immediately. */
            overlapSeconds?: number | null;
        };
        /** @description The body of sandboxCharge. */
        SandboxChargeInput: {
            /** @description The subscription to charge. */
            subscriptionId: string;
        };
        /** @description The body of sandboxAdvance. */
        SandboxAdvanceInput: {
            /** @description The subscription whose clock moves. */
            subscriptionId: string;
            /**
             * Format: date-time
             * @description Move to this moment, which must not be in the past of that clock. Clocks end at `9000-01-01T00:00:00.000Z`.
             */
            to?: string | null;
            /** @description Move by this many days. */
            days?: number | null;
            /**
             * @description Move until the subscription has this status.
             * @enum {string|null}
             */
            status?: "active" | "past_due" | "canceled" | null;
        };
        /** @description One chain of the catalog. */
        Chain: {
            /** @description The EVM chain id; Solana has 101, its devnet 103. */
            chainId: number;
            /** @description The kind of wallet that can pay on it. */
            family: components["schemas"]["ChainFamily"];
            /** @description Its name. */
            label: string;
            /** @description Testnets can be used with test keys only. */
            testnet: boolean;
            /** @description The tokens that can be charged on it. */
            tokens: components["schemas"]["Token"][];
            /** @description With a test key: the chain on which charges for this mainnet happen, with their hashes, allowances and `operator`. `null`: the chain itself. */
            playedBy: number | null;
            /** @description The address that this merchant's payers approve: the EVM spender or the Solana delegate; `null`: none yet. An approval is consent to whatever this merchant charges, up to its amount. Payers who sign at the checkout approve another address, which charges only what they sign. */
            operator: string | null;
            /** @description `true` if charges are possible on it. Offers may name its tokens in any case. */
            enabled: boolean;
        };
        /** @description One token of a chain. */
        Token: {
            /** @description The `tokenKey` by which offers, wallets and payments name it. */
            key: string;
            /** @description The ticker, such as `USDC`. */
            ticker: string;
            /** @description The number of decimal places of its amounts. */
            decimals: number;
            /** @description The contract of the token; `null` on Solana. */
            address: string | null;
            /** @description The mint of the token; `null` on EVM chains. */
            mint: string | null;
        };
        /** @description A product with its pricing options and its hosted checkout. */
        Offer: {
            /** @description The offer. */
            id: string;
            /** @description The name of the product. */
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
             * @description The hosted checkout. It never changes, also when options do.
             */
            checkoutUrl: string;
            /** @description All options, with the retired ones, in the order of their creation. */
            pricing: components["schemas"]["PricingOption"][];
            /** @description `false` hides it from new checkouts; existing subscriptions keep billing. */
            active: boolean;
            /** @description The number that may be sold; `null`: no limit. */
            availableQuantity: number | null;
            /** @description The number that was sold and paid. */
            redeemedCount: number;
            /** @description After this time it accepts no new customers; `null`: never. */
            expiresAt: components["schemas"]["Timestamp"] | null;
            /** @description Free-form, kept as sent: the next step after a checkout. */
            afterCompletion: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @description Free-form, kept as sent: shown at checkout, no effect on billing. */
            features: {
                [key: string]: components["schemas"]["JsonValue"];
            }[];
            /** @description Free-form, kept as sent: the questions of a checkout. */
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
            /** @description The receivers of shares of the merchant amount on EVM chains; the rest is paid out as usual. */
            splitEvm: components["schemas"]["Split"][];
            /** @description `true` if it was made with a test key. */
            isSandbox: boolean;
            /** @description The `idempotencyKey` of the call that made it; `null` without one. */
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
            /** @description The price as sent, in `currency`. */
            amount: string;
            /** @description `USD`, `EUR`, `GBP` or a ticker of the catalog. */
            currency: string;
            /** @description One charge, or the interval of recurring ones. */
            billing: {
                /** @description One charge or recurring charges. */
                type: components["schemas"]["BillingType"];
                /** @description The unit of a cycle; `null` when billed once. */
                interval: components["schemas"]["BillingInterval"] | null;
                /** @description The number of intervals in a cycle; `null` when billed once. */
                intervalCount: number | null;
            };
            /** @description The accepted tokens, and the amount of each. */
            acceptedTokens: components["schemas"]["AcceptedToken"][];
            /** @description Days until the first charge; `null` for none. */
            trialDays: number | null;
            /** @description The number of paid cycles after which the subscription is canceled; `null`: no limit. */
            maxCycles: number | null;
            /** @description The number of failed attempts in a row after which the subscription is canceled; `null`: it is canceled only after seven days past due. */
            maxFailedCycles: number | null;
            /** @description The receiver of the money for tokens without a registered wallet. */
            merchantDestinationWallet: {
                /** @description On EVM chains. */
                evm: string | null;
                /** @description On Solana. */
                solana: string | null;
            } | null;
            /** @description `false` once it is retired: no new subscriptions; existing ones keep billing. */
            active: boolean;
        };
        /** @description A token that an option accepts, and its amount. */
        AcceptedToken: {
            /** @description The token. */
            tokenKey: string;
            /** @description The chain of the token. */
            chainId: number;
            /** @description The amount of one charge in base units of the token, frozen when the option was made, rounded up. */
            amountBaseUnits: string;
        };
        /** @description One share of the merchant amount. */
        Split: {
            /** @description The receiver of a share. */
            address: string;
            /** @description The share of the merchant amount, in percent: a decimal string. */
            percentage: string;
        };
        /** @description The result for each offer of a batch. */
        OfferBatchResult: {
            /** @description One result per item, in the order of the request. */
            results: ({
                /** @description The id of the offer, as sent. */
                id: string;
                /**
                 * @description The status of the call for this offer alone.
                 * @constant
                 */
                status: 200;
                /** @description The offer after the change; for a deletion, before it. */
                offer: components["schemas"]["Offer"];
            } | {
                /** @description The id of the offer, as sent. */
                id: string;
                /** @description The status of the call for this offer alone. */
                status: number;
                /** @description The error of this item. */
                error: string;
            })[];
        };
        /** @description The receiver of the payouts of a token. */
        Wallet: {
            /** @description The registration; it stays when the address is replaced. */
            id: string;
            /** @description The merchant that owns it. */
            merchantId: string;
            /** @description The token of the payouts. */
            tokenKey: string;
            /** @description The chain of the token. */
            chainId: number;
            /** @description The receiver of the money; an EVM address has its checksum. */
            receiverWallet: string | null;
            /** @description From when charges pay this address although their payers have signed a mandate that does not name it. Until the chain has the announcement, this is the expected moment. null: the announcement was withdrawn. Other charges pay it at once. */
            effectiveAt: components["schemas"]["Timestamp"] | null;
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
            /** @description As sent. */
            email: string | null;
            /** @description As sent. */
            phone: string | null;
            /** @description As sent. */
            name: string | null;
            /** @description The merchant that owns it. */
            merchantId: string;
            /** @description `true` if it was made with a test key. */
            isSandbox: boolean;
            /** @description The `idempotencyKey` of the call that made it; `null` without one. */
            idempotencyKey: string | null;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it last changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /** @description The wallet with which a customer pays on one family of chains. */
        CustomerWallet: {
            /** @description The kind of chains on which it pays. */
            chainFamily: components["schemas"]["ChainFamily"];
            /** @description The address; an EVM address has its checksum. */
            address: string;
        };
        /** @description The billing of a customer under one pricing option. */
        Subscription: {
            /** @description The subscription. */
            id: string;
            /** @description The merchant that owns it. */
            merchantId: string;
            /** @description The offer. */
            offerId: string;
            /** @description The billed pricing option. */
            offerPriceId: string;
            /** @description The name of the offer when the customer subscribed. */
            offerName: string;
            /** @description The price of the option, in `priceCurrency`. */
            priceAmount: string;
            /** @description The currency of `priceAmount`. */
            priceCurrency: string;
            /** @description The payer. */
            customerId: string;
            /** @description The chain of `tokenKey`. */
            chainId: number;
            /** @description `pending` until the first charge settles; `past_due` after a failed renewal; `canceled` is final. */
            status: components["schemas"]["SubscriptionStatus"];
            /** @description The end of the paid period or of the trial; `null` before the first charge. */
            currentPeriodEnd: components["schemas"]["Timestamp"] | null;
            /** @description `true` if the allowance on chain covers the next charge after the charges of the wallet's earlier live subscriptions. It follows charges and approvals within seconds. */
            allowanceConfirmed: boolean;
            /** @description The number of paid cycles. */
            cyclesCompleted: number;
            /** @description The number of failed attempts since the last settled one. */
            consecutiveFailures: number;
            /** @description The merchant's own data, and the only field that can be changed. */
            customVariables: {
                [key: string]: string | number | boolean;
            };
            /** @description Copied from the offer. */
            afterCompletion: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @description `true` if it was made with a test key. */
            isSandbox: boolean;
            /** @description The `idempotencyKey` of the call that made it; `null` without one. */
            idempotencyKey: string | null;
            /** @description As sent; copied to the payment of each cycle. */
            affiliatePartnerId: string | null;
            /** @description As sent, a decimal string; it moves no money. */
            affiliateCommissionPct: string | null;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it last changed. */
            updatedAt: components["schemas"]["Timestamp"];
            /** @description The token of the charges. */
            tokenKey: string;
            /** @description The wallet that is billed; `null` until one is linked. Only a new authorization changes it. */
            payerWallet: string | null;
            /**
             * Format: uri
             * @description The page where the payer authorizes; valid for 30 days. Only POST /subscriptions returns it, also for a replay, while the subscription is pending. Later reads return `null`, because the service keeps only a hash of its token.
             */
            authorizationUrl: string | null;
            /** @description When a scheduled cancel takes effect; `null` when there is none. */
            cancelAt: components["schemas"]["Timestamp"] | null;
            /** @description When the trial ends or ended; `null` without one. */
            trialEnd: components["schemas"]["Timestamp"] | null;
            /** @description The pricing option of an open migration; `null` once it has taken effect or was abandoned. */
            pendingOfferPriceId: string | null;
            /**
             * @description Why a due or open charge is not made although the payer is not the cause. Nothing has failed, no attempt is counted, and the charge is made when the cause is gone. `no_payout_wallet`: the merchant has no payout wallet for this charge; `chain_not_enabled`: the token's chain is not enabled on this installation; `sold_out`: the offer is sold out; `merchant_suspended`: the merchant is suspended; `undeliverable`: a recipient cannot receive its share, for example a payout wallet that the token refuses. `null`: not blocked.
             * @enum {string|null}
             */
            blockedReason: "no_payout_wallet" | "chain_not_enabled" | "sold_out" | "merchant_suspended" | "undeliverable" | null;
        };
        /** @description The status of a subscription, with its last invoice. */
        SubscriptionStatusView: {
            /** @description The subscription. */
            id: string;
            /** @description `pending` until the first charge settles; `past_due` after a failed renewal; `canceled` is final. */
            status: components["schemas"]["SubscriptionStatus"];
            /** @description The end of the paid period or of the trial; `null` before the first charge. */
            currentPeriodEnd: components["schemas"]["Timestamp"] | null;
            /** @description As in the subscription. */
            allowanceConfirmed: boolean;
            /** @description The payer. */
            customerId: string;
            /** @description The number of paid cycles. */
            cyclesCompleted: number;
            /** @description The number of failed attempts since the last settled one. */
            consecutiveFailures: number;
            /** @description The merchant's own data. */
            customVariables: {
                [key: string]: string | number | boolean;
            };
            /** @description The newest attempted cycle; `null` before the first attempt. */
            lastInvoice: components["schemas"]["Invoice"] | null;
            /** @description When a scheduled cancel takes effect; `null` when there is none. */
            cancelAt: components["schemas"]["Timestamp"] | null;
            /** @description When the trial ends or ended; `null` without one. */
            trialEnd: components["schemas"]["Timestamp"] | null;
            /** @description The wallet that is billed; `null` until one is linked. Only a new authorization changes it. */
            payerWallet: string | null;
            /** @description The token of the charges. */
            tokenKey: string;
            /** @description The pricing option of an open migration; `null` once it has taken effect or was abandoned. */
            pendingOfferPriceId: string | null;
            /**
             * @description Why a due or open charge is not made although the payer is not the cause. Nothing has failed, no attempt is counted, and the charge is made when the cause is gone. `no_payout_wallet`: the merchant has no payout wallet for this charge; `chain_not_enabled`: the token's chain is not enabled on this installation; `sold_out`: the offer is sold out; `merchant_suspended`: the merchant is suspended; `undeliverable`: a recipient cannot receive its share, for example a payout wallet that the token refuses. `null`: not blocked.
             * @enum {string|null}
             */
            blockedReason: "no_payout_wallet" | "chain_not_enabled" | "sold_out" | "merchant_suspended" | "undeliverable" | null;
        };
        /** @description One cycle of a subscription as an invoice: the payment whose id has the same ending. */
        Invoice: {
            /** @description The cycle: the payment `pay_…` with another prefix. */
            id: string;
            /** @description The subscription. */
            subscriptionId: string;
            /** @description The merchant that owns it. */
            merchantId: string;
            /** @description The `idempotencyKey` of the call that made it; `null` without one. */
            idempotencyKey: string | null;
            /** @description The payment's `amount`. */
            grossAmount: string;
            /** @description The service's fee. */
            platformAmount: string;
            /** @description The amount that the merchant receives. */
            merchantAmount: string;
            /** @description The token of the charge. */
            tokenKey: string;
            /** @description The chain of the token. */
            chainId: number;
            /** @description The transaction in which the payer was charged; `null` until it is mined. */
            pullTxHash: string | null;
            /** @description The transaction in which the merchant was paid. */
            merchantTransferTxHash: string | null;
            /** @description The transaction in which the fee was paid. */
            platformTransferTxHash: string | null;
            /** @description The transaction in which the splits were paid; `null` without splits. */
            distributeTxHash: string | null;
            /** @description The status of the payment. */
            status: components["schemas"]["PaymentStatus"];
            /** @description Why the last attempt failed; `null` when none has. */
            failureReason: components["schemas"]["FailureReason"] | null;
            /** @description `true` if it was made with a test key. */
            isSandbox: boolean;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it last changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /** @description One charge, or one cycle with all its attempts. */
        Payment: {
            /** @description The payment. A cycle also has the names `inv_…` and `sub-pay-…` with the same ending. */
            id: string;
            /** @description The merchant that owns it. */
            merchantId: string;
            /** @description The payer, if known. */
            customerId: string | null;
            /** @description `one_time`: a direct charge or a one-time checkout; `subscription`: a cycle. */
            source: components["schemas"]["PaymentSource"];
            /** @description The subscription of a cycle. */
            subscriptionId: string | null;
            /** @description The offer; `null` for a direct charge. */
            offerId: string | null;
            /** @description The pricing option; `null` for a direct charge. */
            priceId: string | null;
            /** @description The start of the paid period; only of a cycle. */
            periodStart: components["schemas"]["Timestamp"] | null;
            /** @description The end of the paid period, exclusive; only of a cycle. */
            periodEnd: components["schemas"]["Timestamp"] | null;
            /** @description The number of attempts. */
            attempts: number;
            /** @description The time of the next attempt of a failed cycle; `null` after the last attempt. */
            nextAttemptAt: components["schemas"]["Timestamp"] | null;
            /** @description The `idempotencyKey` of the call that made it; `null` without one. */
            idempotencyKey: string | null;
            /** @description The way of the money: pulled from a wallet that has approved, or sent to a deposit address. */
            paymentMethod: components["schemas"]["PaymentMethod"];
            /** @description The charged wallet. */
            fromWallet: string | null;
            /** @description The paid address. */
            toWallet: string | null;
            /** @description The amount that the payer pays, in token units. */
            amount: string;
            /** @description The service's fee, rounded down. */
            platformAmount: string;
            /** @description The amount that the merchant receives: `amount` less the fee. */
            merchantAmount: string;
            /** @description The token of the charge. */
            tokenKey: string;
            /** @description The chain of the token. */
            chainId: number;
            /** @description The transaction in which the payer was charged; `null` until it is mined. */
            pullTxHash: string | null;
            /** @description The transaction in which the merchant was paid: normally the same. */
            forwardTxHash: string | null;
            /** @description The transaction in which the fee was paid: normally the same. */
            platformTransferTxHash: string | null;
            /** @description The transaction in which splits were paid; `null` without splits. */
            distributeTxHash: string | null;
            /** @description `pulled`: the charge is in a block. `settled`: that block is final. `failed`: no money has moved, or `failureReason` names the share that could not be delivered. */
            status: components["schemas"]["PaymentStatus"];
            /** @description Why it failed; `null` when it has not. */
            failureReason: components["schemas"]["FailureReason"] | null;
            /**
             * @description Why a due or open charge is not made although the payer is not the cause. Nothing has failed, no attempt is counted, and the charge is made when the cause is gone. `no_payout_wallet`: the merchant has no payout wallet for this charge; `chain_not_enabled`: the token's chain is not enabled on this installation; `sold_out`: the offer is sold out; `merchant_suspended`: the merchant is suspended; `undeliverable`: a recipient cannot receive its share, for example a payout wallet that the token refuses. `null`: not blocked.
             * @enum {string|null}
             */
            blockedReason: "no_payout_wallet" | "chain_not_enabled" | "sold_out" | "merchant_suspended" | "undeliverable" | null;
            /** @description `true` if it was made with a test key. */
            isSandbox: boolean;
            /** @description As sent. */
            affiliatePartnerId: string | null;
            /** @description As sent, a decimal string; it moves no money. */
            affiliateCommissionPct: string | null;
            /** @description The merchant's own notes: string to string. */
            metadata: {
                [key: string]: string;
            };
            /** @description The receiver of money that a deposit does not use, as named when the payment was made. `null`: such money is held. At the checkout the payer can name or correct it later. */
            refundWallet: string | null;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it last changed. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /** @description A payment in the answer of POST /payments, with its deposit address, if it has one. */
        CreatedPayment: {
            /** @description The payment. A cycle also has the names `inv_…` and `sub-pay-…` with the same ending. */
            id: string;
            /** @description The merchant that owns it. */
            merchantId: string;
            /** @description The payer, if known. */
            customerId: string | null;
            /** @description `one_time`: a direct charge or a one-time checkout; `subscription`: a cycle. */
            source: components["schemas"]["PaymentSource"];
            /** @description The subscription of a cycle. */
            subscriptionId: string | null;
            /** @description The offer; `null` for a direct charge. */
            offerId: string | null;
            /** @description The pricing option; `null` for a direct charge. */
            priceId: string | null;
            /** @description The start of the paid period; only of a cycle. */
            periodStart: components["schemas"]["Timestamp"] | null;
            /** @description The end of the paid period, exclusive; only of a cycle. */
            periodEnd: components["schemas"]["Timestamp"] | null;
            /** @description The number of attempts. */
            attempts: number;
            /** @description The time of the next attempt of a failed cycle; `null` after the last attempt. */
            nextAttemptAt: components["schemas"]["Timestamp"] | null;
            /** @description The `idempotencyKey` of the call that made it; `null` without one. */
            idempotencyKey: string | null;
            /** @description The way of the money: pulled from a wallet that has approved, or sent to a deposit address. */
            paymentMethod: components["schemas"]["PaymentMethod"];
            /** @description The charged wallet. */
            fromWallet: string | null;
            /** @description The paid address. */
            toWallet: string | null;
            /** @description The amount that the payer pays, in token units. */
            amount: string;
            /** @description The service's fee, rounded down. */
            platformAmount: string;
            /** @description The amount that the merchant receives: `amount` less the fee. */
            merchantAmount: string;
            /** @description The token of the charge. */
            tokenKey: string;
            /** @description The chain of the token. */
            chainId: number;
            /** @description The transaction in which the payer was charged; `null` until it is mined. */
            pullTxHash: string | null;
            /** @description The transaction in which the merchant was paid: normally the same. */
            forwardTxHash: string | null;
            /** @description The transaction in which the fee was paid: normally the same. */
            platformTransferTxHash: string | null;
            /** @description The transaction in which splits were paid; `null` without splits. */
            distributeTxHash: string | null;
            /** @description `pulled`: the charge is in a block. `settled`: that block is final. `failed`: no money has moved, or `failureReason` names the share that could not be delivered. */
            status: components["schemas"]["PaymentStatus"];
            /** @description Why it failed; `null` when it has not. */
            failureReason: components["schemas"]["FailureReason"] | null;
            /**
             * @description Why a due or open charge is not made although the payer is not the cause. Nothing has failed, no attempt is counted, and the charge is made when the cause is gone. `no_payout_wallet`: the merchant has no payout wallet for this charge; `chain_not_enabled`: the token's chain is not enabled on this installation; `sold_out`: the offer is sold out; `merchant_suspended`: the merchant is suspended; `undeliverable`: a recipient cannot receive its share, for example a payout wallet that the token refuses. `null`: not blocked.
             * @enum {string|null}
             */
            blockedReason: "no_payout_wallet" | "chain_not_enabled" | "sold_out" | "merchant_suspended" | "undeliverable" | null;
            /** @description `true` if it was made with a test key. */
            isSandbox: boolean;
            /** @description As sent. */
            affiliatePartnerId: string | null;
            /** @description As sent, a decimal string; it moves no money. */
            affiliateCommissionPct: string | null;
            /** @description The merchant's own notes: string to string. */
            metadata: {
                [key: string]: string;
            };
            /** @description The receiver of money that a deposit does not use, as named when the payment was made. `null`: such money is held. At the checkout the payer can name or correct it later. */
            refundWallet: string | null;
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it last changed. */
            updatedAt: components["schemas"]["Timestamp"];
            /** @description The address to which the payer sends the amount. Only for a pending `wallet_transfer`, and only in this answer. */
            depositAddress?: string;
            /** @description The deadline of the deposit. */
            depositExpiresAt?: components["schemas"]["Timestamp"];
        };
        /** @description A proof that a payment was charged, which needs no trust in the service. */
        ProofOfCharge: {
            /** @description Names the charge on the chain: keccak256 of `subscription:<id>:<cycle>`, or of `payment:<id>`; under a mandate, of its agreement and the cycle. */
            chargeKey: string;
            /** @description `true` for what was made with a test key. */
            isSandbox: boolean;
            /** @description When it was signed. */
            issuedAt: components["schemas"]["Timestamp"];
            /** @description What the payer has signed; `null`: an open allowance. Proofs from before mandates do not have it. */
            mandate?: {
                /** @description Names the subscription or payment to the chain; 32 random bytes in hex. */
                agreement: string;
                /** @description The most charges in all; `0`: until the payer revokes it. */
                charges: number;
                /** @description The number of this charge within the agreement. */
                cycle: number;
                /** @description No charge after this moment, Unix seconds; `0`: none. */
                end: number;
                /** @description The most of a charge for the platform's wallet, basis points. */
                feeBps: number;
                /** @description EVM: the EIP-712 hash that the payer signed. Solana: the hash that the signed message names. */
                id: string;
                /** @description Seconds from one charge to the next; `0`: no rhythm. */
                interval: number;
                /** @description When the payer was asked to sign, Unix seconds. */
                issuedAt: number;
                /** @description The text that the payer was shown; on Solana, the text that the payer signed. */
                message: string;
                /** @description Who may be paid. */
                payees: string[];
                /** @description The wallet that signed. */
                payer: string;
                /** @description The most of one charge, base units of the playing token. */
                perCharge: string;
                /** @description The platform's wallet. */
                platform: string;
                /** @description EVM: the router that the mandate is for. `null` on Solana. */
                router: string | null;
                /** @description EVM: 0x-hex, of the key of the payer or for its contract (EIP-1271). Solana: base58, over `message`. */
                signature: string;
                /** @description No charge before this moment, Unix seconds. */
                start: number;
                /** @description The hash of the terms that the payer was shown. */
                terms: string;
                /** @description The playing token: contract or mint. */
                token: string;
            } | null;
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
        /** @description The receiver of the events of one environment. */
        WebhookEndpoint: {
            /**
             * @description The key's environment: `sandbox` for a test key, `live` for a live key.
             * @enum {string}
             */
            environment: "live" | "sandbox";
            /** @description The saved URL of this environment; empty when unset. */
            url: string;
            /** @description The present URL of deliveries: the saved one; for a sandbox without one, the live one; `null`: none. */
            effectiveUrl: string | null;
            /** @description `true` if the extra kinds of events are delivered too. */
            extraEvents: boolean;
        };
        /** @description One event, exactly as it is delivered. */
        Event: components["schemas"]["CustomerCreatedEvent"] | components["schemas"]["CustomerUpdatedEvent"] | components["schemas"]["CustomerDeletedEvent"] | components["schemas"]["SubscriptionCreatedEvent"] | components["schemas"]["SubscriptionActiveEvent"] | components["schemas"]["SubscriptionCanceledEvent"] | components["schemas"]["PaymentSucceededEvent"] | components["schemas"]["PaymentFailedEvent"] | components["schemas"]["PaymentCanceledEvent"] | components["schemas"]["WalletUpdatedEvent"] | components["schemas"]["SubscriptionPastDueEvent"] | components["schemas"]["SubscriptionRecoveredEvent"] | components["schemas"]["SubscriptionAtRiskEvent"] | components["schemas"]["SubscriptionMigratedEvent"] | components["schemas"]["SubscriptionBlockedEvent"] | components["schemas"]["PaymentPulledEvent"];
        /** @description One event with its deliveries. */
        EventRecord: {
            /** @description The id of the event, equal in every delivery. */
            id: string;
            /** @description The kind of the event. */
            event: components["schemas"]["EventKind"];
            /** @description When it happened. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description `true` if it was made with a test key. */
            isSandbox: boolean;
            /** @description The delivered data; its ids depend on the kind. */
            data: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @description The number of the event among those of `resourceId`. */
            sequence: number;
            /** @description The subscription, one-off payment, customer or payout wallet whose events `sequence` counts. */
            resourceId: string;
            /** @description The deliveries; empty only for a moment, before the delivery exists. */
            deliveries: components["schemas"]["Delivery"][];
        };
        /** @description One event on its way to the webhook URL. */
        Delivery: {
            /** @description The delivery. */
            id: string;
            /** @description `queued`: waits for the first attempt of the event before it; `sending`: an attempt is under way; `retrying`: the next one has a time; `failed`: six have failed; `no_endpoint`: no URL was set. */
            status: components["schemas"]["DeliveryStatus"];
            /** @description The time of the next attempt while `retrying`; else `null`. */
            nextAttemptAt: components["schemas"]["Timestamp"] | null;
            /** @description The newest 30 ended attempts, oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** @description When it was made. */
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description One attempt to deliver an event. */
        DeliveryAttempt: {
            /** @description The number of the attempt; a redelivery continues to count. */
            attempt: number;
            /** @description When it began. */
            startedAt: components["schemas"]["Timestamp"];
            /** @description The time until the answer, or until the attempt failed. */
            durationMs: number;
            /** @description The HTTP status of the answer; `null` without one. */
            status: number | null;
            /** @description Why there was no answer; else `null`. */
            error: string | null;
            /** @description The first kilobyte of the answer's body, as text. */
            body: string | null;
        };
        /** @description The new time of a clock, and the steps on the way. */
        AdvanceResult: {
            /** @description The subscription. */
            subscriptionId: string;
            /** @description The present time of its clock. */
            now: components["schemas"]["Timestamp"];
            /** @description `false` when 60 steps or 25 seconds were not enough: call again. */
            complete: boolean;
            /** @description The steps: every due moment that made an attempt or changed the status. */
            steps: {
                /** @description The moment, by its clock. */
                at: components["schemas"]["Timestamp"];
                /** @description The event that was due. */
                event: string;
                /** @description The status before. */
                from: string;
                /** @description The status after. */
                to: string;
                /** @description The outcome of the attempt; absent without one. */
                outcome?: string;
            }[];
            /** @description The present status. */
            status: components["schemas"]["SubscriptionStatus"];
            /** @description The end of the paid period; `null` before the first charge. */
            currentPeriodEnd: components["schemas"]["Timestamp"] | null;
        };
        /** @description The confirmation of a deletion. */
        Deleted: {
            /** @description The id of the deleted resource. */
            id: string;
            /**
             * @description Always `true`.
             * @constant
             */
            deleted: true;
        };
        /** @description The body of every error: no other keys. */
        Error: {
            /** @description The fault, the expectation and the place, for people. Programs branch only on the status. */
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
        SubscriptionPastDueEvent: {
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
        SubscriptionAtRiskEvent: {
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
        /** @description The answer of listCurrencies. */
        ListCurrenciesResponse: {
            /** @description The catalog. */
            chains: components["schemas"]["Chain"][];
        };
        /** @description The answer of listOffers. */
        ListOffersResponse: {
            /** @description One page, newest first. */
            offers: components["schemas"]["Offer"][];
            /** @description The requested limit, or the default. A shorter page is the last. */
            limit: number;
            /** @description The requested start, or the default. */
            start: number;
            /** @description `true` if another page follows: continue with `startingAfter`. */
            hasMore: boolean;
        };
        /** @description The answer of listWallets. */
        ListWalletsResponse: {
            /** @description One per registered token. */
            wallets: components["schemas"]["Wallet"][];
        };
        /** @description The answer of listCustomers. */
        ListCustomersResponse: {
            /** @description One page, newest first. */
            customers: components["schemas"]["Customer"][];
            /** @description The requested limit, or the default. A shorter page is the last. */
            limit: number;
            /** @description The requested start, or the default. */
            start: number;
            /** @description `true` if another page follows: continue with `startingAfter`. */
            hasMore: boolean;
        };
        /** @description The answer of createPortalSession. */
        CreatePortalSessionResponse: {
            /** @description The address to send the customer to. Whoever has it can see and end the subscriptions. With `?lang=de` before the fragment the page is in that language. */
            url: string;
            /** @description From then on it opens nothing: an hour after this call. */
            expiresAt: components["schemas"]["Timestamp"];
        };
        /** @description The answer of listSubscriptions. */
        ListSubscriptionsResponse: {
            /** @description One page, newest first. */
            subscriptions: components["schemas"]["Subscription"][];
            /** @description The requested limit, or the default. A shorter page is the last. */
            limit: number;
            /** @description The requested start, or the default. */
            start: number;
            /** @description `true` if another page follows: continue with `startingAfter`. */
            hasMore: boolean;
        };
        /** @description The answer of migrateSubscription. */
        MigrateSubscriptionResponse: {
            /** @description The subscription. */
            id: string;
            /**
             * @description The intent is recorded; nothing has changed yet.
             * @constant
             */
            status: "pending_authorization";
            /** @description The requested pricing option. */
            priceId: string;
            /** @description The same. */
            pendingOfferPriceId: string;
            /** @description The same. */
            pendingPriceId: string;
            /**
             * Format: uri
             * @description The page where the payer authorizes the new terms; valid for 30 days, or until another migration replaces this one.
             */
            authorizationUrl: string;
        };
        /** @description The answer of listPayments. */
        ListPaymentsResponse: {
            /** @description One page, newest first. */
            payments: components["schemas"]["Payment"][];
            /** @description The requested limit, or the default. A shorter page is the last. */
            limit: number;
            /** @description The requested start, or the default. */
            start: number;
            /** @description `true` if another page follows: continue with `startingAfter`. */
            hasMore: boolean;
        };
        /** @description The answer of getRevenue. */
        GetRevenueResponse: {
            /** @description As of now, whatever the range. */
            recurring: {
                /** @description The offer; `null` for direct charges. */
                offerId: string | null;
                /** @description The token of the amounts. */
                tokenKey: string;
                /** @description Those with the status `active` or `past_due`, now. */
                subscriptions: number;
                /** @description What they are charged in a month, in token units (MRR). A year counts as twelve months and as 365 days. */
                monthlyAmount: string;
            }[];
            /** @description The oldest first. */
            periods: {
                /** @description The start of the day or month, in UTC. */
                start: components["schemas"]["Timestamp"];
                /** @description The offer; `null` for direct charges. */
                offerId: string | null;
                /** @description The token of the amounts. */
                tokenKey: string;
                /** @description Payments with the status `settled`, by `createdAt`. */
                settled: {
                    /** @description The number of payments. */
                    count: number;
                    /** @description The sum of their `amount`, in token units. */
                    amount: string;
                };
                /** @description Those of them with more than one of `attempts`. */
                recovered: {
                    /** @description The number of payments. */
                    count: number;
                    /** @description The sum of their `amount`, in token units. */
                    amount: string;
                };
                /** @description Payments with the status `failed`, by `createdAt`. */
                failed: {
                    /** @description The number of payments. */
                    count: number;
                    /** @description The sum of their `amount`, in token units. */
                    amount: string;
                };
                /** @description Subscriptions with a `currentPeriodEnd`, by `createdAt`. */
                newSubscriptions: number;
                /** @description Those with a `currentPeriodEnd` that were canceled, by the time of that. */
                endedSubscriptions: number;
            }[];
        };
        /** @description The answer of getWebhookSecret. */
        GetWebhookSecretResponse: {
            /** @description `true` if a secret exists; the first saved URL creates it. */
            configured: boolean;
            /** @description The live URL; empty when unset. */
            webhookUrl: string;
            /** @description The sandbox URL; empty when unset. */
            webhookUrlTest: string;
        };
        /** @description The answer of rotateWebhookSecret. */
        RotateWebhookSecretResponse: {
            /** @description The new secret: the HMAC key is this exact text. Shown only here. */
            secret: string;
            /** @description When it took effect. */
            rotatedAt: components["schemas"]["Timestamp"];
        };
        /** @description The answer of listEvents. */
        ListEventsResponse: {
            /** @description One page, newest first. */
            events: components["schemas"]["Event"][];
            /** @description The requested limit, or the default. A shorter page is the last. */
            limit: number;
            /** @description The requested start, or the default. */
            start: number;
            /** @description `true` if another page follows: continue with `startingAfter`. */
            hasMore: boolean;
        };
        /** @description The answer of sandboxCharge. */
        SandboxChargeResponse: {
            /**
             * @description `pending`: unknown after 25 seconds; `skipped`: no attempt was made; `canceled`: a limit has ended the subscription.
             * @enum {string}
             */
            outcome: "settled" | "failed" | "pending" | "skipped" | "canceled";
            /** @description The payment of the cycle; absent when there is none. */
            paymentId?: string;
            /** @description Why it failed or was skipped (`not_authorized`, `in_flight`, `no_payout_wallet`, `not_enabled`, `sold_out`); absent otherwise. */
            reason?: string;
        };
    };
    responses: {
        /** @description The request is not valid, or a rule forbids it. The message names only the first problem. */
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
        /** @description No `X-API-Key`, an unknown or revoked one, or the key of a suspended merchant: always the same answer. */
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
        /** @description The service has failed. Its log has the cause under the `X-Request-Id`; the answer never names it. */
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
        /** @description The request cannot be served now: the database does not answer, or a price needs an exchange rate, and there is none of the last ten minutes. Send it again after `Retry-After`. The message says if it may have been carried out. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The resource does not exist, or belongs to another merchant or environment. */
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
        /** @description A live key on an endpoint of the sandbox. This check comes before all limits. */
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
        /** @description The id of this request, made by the service. Name it when you ask for help. */
        "X-Request-Id": string;
        /** @description Names of body fields and query parameters that the endpoint does not know and has ignored, to reveal typing errors: percent-encoded, separated by a comma and a space, at most 10 names and 256 bytes. Absent when there are none. */
        "X-Ignored-Fields": string;
        /** @description `true` when the `idempotencyKey` was first used with another body. Absent otherwise. */
        "Idempotency-Mismatch": "true";
        /** @description Of CSV: the address of the next page, with `rel="next"`. Absent on the last page, and with JSON. */
        Link: string;
        /** @description Where the form depends on `Accept`: JSON or CSV. */
        Vary: "Accept";
        /** @description Seconds after which the call may be sent again: on a 429, until the exhausted window ends. */
        "Retry-After": number;
        /** @description The exceeded limit. */
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
                /** @description `true` lists testnet chains too. */
                includeTestnets?: boolean;
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
                    "application/json": components["schemas"]["ListCurrenciesResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listOffers: {
        parameters: {
            query?: {
                /** @description Only active or only inactive offers; default: both. */
                active?: boolean;
                /** @description Only the offer with this identifier. */
                identifier?: string;
                /** @description Only those with this value in their `metadata`: `metadata[order]=1001`. Several must all fit, at most ten. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Only those created in this range: `created[gte]=2030-01-01T00:00:00Z&created[lt]=2030-02-01T00:00:00Z`. */
                created?: {
                    /**
                     * Format: date-time
                     * @description After this moment.
                     */
                    gt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or after it.
                     */
                    gte?: string;
                    /**
                     * Format: date-time
                     * @description Before this moment.
                     */
                    lt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or before it.
                     */
                    lte?: string;
                };
                /** @description The most items of a page. */
                limit?: number;
                /** @description The number of newest items to skip. Not together with `startingAfter`. */
                start?: number;
                /** @description The `id` of the last item that you have: the page begins after it, also if items were created, changed or deleted meanwhile. That item need not match the filter any more. */
                startingAfter?: string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    Link: components["headers"]["Link"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOffersResponse"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createOffer: {
        parameters: {};
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
            /** @description Not valid: an unknown or repeated token, splits of the wrong chain family, a price below 1.00 USD or its equivalent, or another rule of a field. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    deleteOffers: {
        parameters: {
            query?: {
                /** @description The ids, separated by commas, for clients that send no body with a DELETE. */
                ids?: string;
            };
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
            503: components["responses"]["Unavailable"];
        };
    };
    updateOffers: {
        parameters: {};
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
            /** @description The whole body is not valid: no `offers`, an empty list or more than 100, or one without an `id`. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    getOffer: {
        parameters: {
            path: {
                /** @description The offer. */
                offerId: string;
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
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteOffer: {
        parameters: {
            path: {
                /** @description The offer. */
                offerId: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description It has a live subscription (pending, active or past due): deactivate it instead. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    updateOffer: {
        parameters: {
            path: {
                /** @description The offer. */
                offerId: string;
            };
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
            /** @description Not valid, a field that cannot be updated (such as `pricing`), or nothing to update. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    addPricing: {
        parameters: {
            path: {
                /** @description The offer. */
                offerId: string;
            };
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
            /** @description The request is not valid, or a rule forbids it. The message names only the first problem. */
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
            /** @description The offer already has 50 options. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    retirePricing: {
        parameters: {
            path: {
                /** @description The offer. */
                offerId: string;
                /** @description The pricing option. */
                priceId: string;
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
            503: components["responses"]["Unavailable"];
        };
    };
    listWallets: {
        parameters: {};
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWalletsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    registerWallet: {
        parameters: {};
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterWalletInput"];
            };
        };
        responses: {
            /** @description The address was replaced, or was already the same. */
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
            /** @description The request is not valid, or a rule forbids it. The message names only the first problem. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWallet: {
        parameters: {
            path: {
                /** @description The wallet. */
                id: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description It has a registered address. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    listCustomers: {
        parameters: {
            query?: {
                /** @description Only the customer with this wallet; EVM addresses compare without regard to case. */
                walletAddress?: string;
                /** @description Only customers with exactly this e-mail address. */
                email?: string;
                /** @description Only customers with this id of yours. */
                merchantReferenceId?: string;
                /** @description Only those created in this range: `created[gte]=2030-01-01T00:00:00Z&created[lt]=2030-02-01T00:00:00Z`. */
                created?: {
                    /**
                     * Format: date-time
                     * @description After this moment.
                     */
                    gt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or after it.
                     */
                    gte?: string;
                    /**
                     * Format: date-time
                     * @description Before this moment.
                     */
                    lt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or before it.
                     */
                    lte?: string;
                };
                /** @description The most items of a page. */
                limit?: number;
                /** @description The number of newest items to skip. Not together with `startingAfter`. */
                start?: number;
                /** @description The `id` of the last item that you have: the page begins after it, also if items were created, changed or deleted meanwhile. That item need not match the filter any more. */
                startingAfter?: string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    Link: components["headers"]["Link"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListCustomersResponse"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createCustomer: {
        parameters: {};
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
            /** @description The request is not valid, or a rule forbids it. The message names only the first problem. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    getCustomer: {
        parameters: {
            path: {
                /** @description The customer. */
                customerId: string;
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
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteCustomer: {
        parameters: {
            path: {
                /** @description The customer. */
                customerId: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateCustomer: {
        parameters: {
            path: {
                /** @description The customer. */
                customerId: string;
            };
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
            /** @description Another customer has the wallet, or a live subscription bills the wallet to remove or replace. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    createPortalSession: {
        parameters: {
            path: {
                /** @description The customer. */
                customerId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreatePortalSessionInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatePortalSessionResponse"];
                };
            };
            /** @description The request is not valid, or a rule forbids it. The message names only the first problem. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /** @description Only those with this status. */
                status?: components["schemas"]["SubscriptionStatus"];
                /** @description Only those of this customer. */
                customerId?: string;
                /** @description Only subscriptions to this offer. */
                offerId?: string;
                /** @description Only those created in this range: `created[gte]=2030-01-01T00:00:00Z&created[lt]=2030-02-01T00:00:00Z`. */
                created?: {
                    /**
                     * Format: date-time
                     * @description After this moment.
                     */
                    gt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or after it.
                     */
                    gte?: string;
                    /**
                     * Format: date-time
                     * @description Before this moment.
                     */
                    lt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or before it.
                     */
                    lte?: string;
                };
                /** @description The most items of a page. */
                limit?: number;
                /** @description The number of newest items to skip. Not together with `startingAfter`. */
                start?: number;
                /** @description The `id` of the last item that you have: the page begins after it, also if items were created, changed or deleted meanwhile. That item need not match the filter any more. */
                startingAfter?: string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    Link: components["headers"]["Link"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSubscriptionsResponse"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSubscription: {
        parameters: {};
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
            /** @description Not valid: a one-time or retired option, an inactive, expired or sold out offer, or no `tokenKey` although the option accepts several. */
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
            /** @description The pricing option does not exist or belongs to another offer, or the customer does not exist. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    getSubscription: {
        parameters: {
            path: {
                /** @description The subscription. */
                subscriptionId: string;
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
                    "application/json": components["schemas"]["SubscriptionStatusView"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSubscription: {
        parameters: {
            path: {
                /** @description The subscription. */
                subscriptionId: string;
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
            /** @description It is already canceled. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    updateSubscription: {
        parameters: {
            path: {
                /** @description The subscription. */
                subscriptionId: string;
            };
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
            503: components["responses"]["Unavailable"];
        };
    };
    cancelSubscription: {
        parameters: {
            path: {
                /** @description The subscription. */
                subscriptionId: string;
            };
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
            /** @description It is already canceled. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    retrySubscription: {
        parameters: {
            path: {
                /** @description The subscription. */
                subscriptionId: string;
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
            503: components["responses"]["Unavailable"];
        };
    };
    resumeSubscription: {
        parameters: {
            path: {
                /** @description The subscription. */
                subscriptionId: string;
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
            503: components["responses"]["Unavailable"];
        };
    };
    migrateSubscription: {
        parameters: {
            path: {
                /** @description The subscription. */
                subscriptionId: string;
            };
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
                    "application/json": components["schemas"]["MigrateSubscriptionResponse"];
                };
            };
            /** @description Not valid: an option of another offer, a one-time, retired or the present option; or the subscription is canceled. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /** @description Only those with this status. */
                status?: components["schemas"]["PaymentStatus"];
                /** @description `one_time` or `subscription`; default: both. */
                source?: components["schemas"]["PaymentSource"];
                /** @description Only those of this customer. */
                customerId?: string;
                /** @description Only the cycles of this subscription. */
                subscriptionId?: string;
                /** @description Only payments for this offer. */
                offerId?: string;
                /** @description Only those with this value in their `metadata`: `metadata[order]=1001`. Several must all fit, at most ten. */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Only those created in this range: `created[gte]=2030-01-01T00:00:00Z&created[lt]=2030-02-01T00:00:00Z`. */
                created?: {
                    /**
                     * Format: date-time
                     * @description After this moment.
                     */
                    gt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or after it.
                     */
                    gte?: string;
                    /**
                     * Format: date-time
                     * @description Before this moment.
                     */
                    lt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or before it.
                     */
                    lte?: string;
                };
                /** @description The most items of a page. */
                limit?: number;
                /** @description The number of newest items to skip. Not together with `startingAfter`. */
                start?: number;
                /** @description The `id` of the last item that you have: the page begins after it, also if items were created, changed or deleted meanwhile. That item need not match the filter any more. */
                startingAfter?: string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    Link: components["headers"]["Link"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPaymentsResponse"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPayment: {
        parameters: {};
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePaymentInput"];
            };
        };
        responses: {
            /** @description The `idempotencyKey` was used before: the original payment in its present state. Nothing is charged again. */
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
            /** @description The payment exists; `status` shows whether it has settled or failed. */
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
            /** @description The request is not valid, or a rule forbids it. The message names only the first problem. */
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
            /** @description The customer does not exist. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    getPayment: {
        parameters: {
            path: {
                /** @description The payment: `pay_…`; for a cycle also `inv_…` or `sub-pay-…`. */
                paymentId: string;
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
                    "application/json": components["schemas"]["Payment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPaymentProof: {
        parameters: {
            path: {
                /** @description The payment: `pay_…`; for a cycle also `inv_…` or `sub-pay-…`. */
                paymentId: string;
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
                    "application/json": components["schemas"]["ProofOfCharge"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description The payment is not settled, no block contains its transaction at the moment, or the service has no signing key. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    cancelPayment: {
        parameters: {
            path: {
                /** @description The payment: `pay_…`; for a cycle also `inv_…` or `sub-pay-…`. */
                paymentId: string;
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
                    "application/json": components["schemas"]["Payment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            /** @description It is not pending, its charge has been started, or it is a cycle: then cancel the subscription. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    getRevenue: {
        parameters: {
            query?: {
                /** @description The length of a period. */
                interval?: "day" | "month";
                /** @description Only this offer. */
                offerId?: string;
                /** @description Only those created in this range: `created[gte]=2030-01-01T00:00:00Z&created[lt]=2030-02-01T00:00:00Z`. */
                created?: {
                    /**
                     * Format: date-time
                     * @description After this moment.
                     */
                    gt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or after it.
                     */
                    gte?: string;
                    /**
                     * Format: date-time
                     * @description Before this moment.
                     */
                    lt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or before it.
                     */
                    lte?: string;
                };
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
                    "application/json": components["schemas"]["GetRevenueResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookEndpoint: {
        parameters: {};
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
            503: components["responses"]["Unavailable"];
        };
    };
    setWebhookEndpoint: {
        parameters: {};
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
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookSecret: {
        parameters: {};
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetWebhookSecretResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {};
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
                    "application/json": components["schemas"]["RotateWebhookSecretResponse"];
                };
            };
            /** @description The request is not valid, or a rule forbids it. The message names only the first problem. */
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
            /** @description No secret exists yet: set a webhook URL first. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Only events of this kind. */
                event?: components["schemas"]["EventKind"];
                /** @description Only those created in this range: `created[gte]=2030-01-01T00:00:00Z&created[lt]=2030-02-01T00:00:00Z`. */
                created?: {
                    /**
                     * Format: date-time
                     * @description After this moment.
                     */
                    gt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or after it.
                     */
                    gte?: string;
                    /**
                     * Format: date-time
                     * @description Before this moment.
                     */
                    lt?: string;
                    /**
                     * Format: date-time
                     * @description At this moment or before it.
                     */
                    lte?: string;
                };
                /** @description The most items of a page. */
                limit?: number;
                /** @description The number of newest items to skip. Not together with `startingAfter`. */
                start?: number;
                /** @description The `id` of the last item that you have: the page begins after it, also if items were created, changed or deleted meanwhile. That item need not match the filter any more. */
                startingAfter?: string;
                /** @description Seconds to wait for a new event. */
                wait?: number;
                /** @description With `wait`: the ids of the newest events that you have, separated by commas, at most 20. If the log has another event among its newest ones, the call does not wait. */
                known?: string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ignored-Fields": components["headers"]["X-Ignored-Fields"];
                    Link: components["headers"]["Link"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListEventsResponse"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getEvent: {
        parameters: {
            path: {
                /** @description The event: `evt_…`. */
                eventId: string;
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
                    "application/json": components["schemas"]["EventRecord"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    redeliverEvent: {
        parameters: {
            path: {
                /** @description The event: `evt_…`. */
                eventId: string;
            };
        };
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
            503: components["responses"]["Unavailable"];
        };
    };
    sandboxCharge: {
        parameters: {};
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
                    "application/json": components["schemas"]["SandboxChargeResponse"];
                };
            };
            /** @description The request is not valid, or a rule forbids it. The message names only the first problem. */
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
            /** @description The subscription is canceled, or already paid until after `9000-01-01T00:00:00.000Z`. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    sandboxAdvance: {
        parameters: {};
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
            /** @description Not valid, more than one of `to`, `days` and `status`, or a time in the past or after the end of all clocks. */
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
            /** @description The subscription is canceled, or `status` `active` cannot be reached without an allowance on chain, or the next due moment is after the end of all clocks. */
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
            503: components["responses"]["Unavailable"];
        };
    };
    customerCreatedEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerCreatedEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    customerUpdatedEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerUpdatedEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    customerDeletedEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerDeletedEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    subscriptionCreatedEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionCreatedEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    subscriptionActiveEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionActiveEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    subscriptionCanceledEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionCanceledEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    paymentSucceededEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentSucceededEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    paymentFailedEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentFailedEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    paymentCanceledEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentCanceledEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    walletUpdatedEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletUpdatedEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    subscriptionPastDueEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionPastDueEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    subscriptionRecoveredEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionRecoveredEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    subscriptionAtRiskEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionAtRiskEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    subscriptionMigratedEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionMigratedEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    subscriptionBlockedEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubscriptionBlockedEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
    paymentPulledEvent: {
        parameters: {
            header: {
                /** @description Unix seconds of this attempt. */
                "X-Service-Timestamp": string;
                /** @description HMAC-SHA256, hex, of the timestamp, a dot and the raw body; the key is the whole signing secret with its `whsec_`. Compare in constant time. */
                "X-Service-Signature": string;
                /** @description The same with the previous secret, during the overlap of a rotation. */
                "X-Service-Signature-Previous"?: string;
                /** @description The event's id, for verifiers of Standard Webhooks. */
                "webhook-id": string;
                /** @description Unix seconds of this attempt, for verifiers of Standard Webhooks. */
                "webhook-timestamp": string;
                /** @description For verifiers of Standard Webhooks, which take the signing secret as it is: `v1,` and base64 of HMAC-SHA256 of id, dot, timestamp, dot and raw body. During the overlap of a rotation a second one follows after a space. */
                "webhook-signature": string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentPulledEvent"];
            };
        };
        responses: {
            /** @description Received. After any other answer, also a redirect, or none within 15 seconds, the service tries again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
            };
        };
    };
}
