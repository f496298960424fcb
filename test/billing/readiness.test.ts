import type { Terms } from '../../machines/subscription/context.ts';
import { payoutsFrom } from '../../src/billing/payout/wallets.ts';
import { readinessOf } from '../../src/billing/subscriptions/readiness.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { MerchantDoc } from '../../src/store/collections.ts';
import type { ActorDoc } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { scriptedCatalog, scriptedChain } from '../../stage/scripted-chain.ts';
import { active, coveredMigration, pastDue, type TestSubscription } from '../machines/support/subscription.ts';
import { actor, merchantOf } from '../store/support/documents.ts';
import { ALICE, BOB } from '../support/bodies.ts';

/**
 * A token of the enabled chain, and one of a chain that is not enabled; both pay out to the option's own destination.
 */
const HERE = { tokenKey: 'usdc-local-evm', chainId: 31_337, destination: { evm: BOB, solana: null } };
const ELSEWHERE = { ...HERE, tokenKey: 'usdc-solana', chainId: 101 };
const NOWHERE = { ...HERE, destination: null };

const READY = { ready: true };
const NOT_ENABLED = { ready: false, why: 'not_enabled' };
const SUSPENDED = { ready: false, why: 'merchant_suspended' };
const NO_PAYOUT_WALLET = { ready: false, why: 'no_payout_wallet' };

/** This subscription after a request to move to other terms, which are signed and covered. */
function migrating({ context }: TestSubscription, to: Partial<Terms>): ActorDoc {
  return actor({ context: { ...context, migration: coveredMigration({ priceId: 'price_2', ...to }, ALICE) } });
}

async function readiness(doc: ActorDoc, merchants: readonly MerchantDoc[] = []) {
  const store = openMemoryStore();
  await store.records.insert('merchants', merchants);
  const catalog = scriptedCatalog();
  const [answer] = await readinessOf(
    { store, catalog, chains: createChains([scriptedChain()]), payoutsOf: payoutsFrom(store) },
    [doc],
  );
  return answer;
}

it("at a boundary checks the migration's new terms, even if the present ones are not ready", async () => {
  expect(await readiness(migrating(active({ terms: ELSEWHERE }), HERE))).toEqual(READY);
  expect(await readiness(migrating(active({ terms: NOWHERE }), HERE))).toEqual(READY);
  expect(await readiness(migrating(active({ terms: HERE }), ELSEWHERE))).toEqual(NOT_ENABLED);
  expect(await readiness(migrating(active({ terms: HERE }), NOWHERE))).toEqual(NO_PAYOUT_WALLET);
});

it('of an open cycle checks its own terms', async () => {
  expect(await readiness(migrating(pastDue({ terms: HERE }), ELSEWHERE))).toEqual(READY);
  expect(await readiness(migrating(pastDue({ terms: ELSEWHERE }), HERE))).toEqual(NOT_ENABLED);
});

it('of a suspended merchant is not given, and is again once the merchant is reinstated', async () => {
  const doc = migrating(active({ terms: HERE }), HERE);
  const of = (status: MerchantDoc['status']) => readiness(doc, [merchantOf(doc.merchantId, { status })]);
  expect([await of('suspended'), await of('active')]).toEqual([SUSPENDED, READY]);
});
