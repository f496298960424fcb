import type { Check } from '../../packages/cli/src/verify-proof/checks.ts';
import { Node } from '../../packages/cli/src/verify-proof/node.ts';
import { checkOnSolana } from '../../packages/cli/src/verify-proof/solana.ts';
import type { Proof } from '../../src/billing/proof/document.ts';
import { proofOf } from '../../src/billing/proof/proofs.ts';
import { createProofSigner } from '../../src/billing/proof/signer.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { scriptedCatalog } from '../../stage/scripted-chain.ts';
import { TENANT, useBounded } from '../chains/solana/bounded.ts';
import { mandateCharge } from '../chains/support/mandates.ts';
import { settledPayment } from '../support/settled-payment.ts';

/** On Solana only the memos of the merchant's delegate say which recipients were announced. */

const { world, bench, mandated, announced, openReader } = useBounded();

/** The proof of a charge to an announced recipient. */
async function provenFor(payee: string): Promise<Proof> {
  const mandate = await mandated();
  await bench.start();
  await announced(payee);
  const shares = [['forward', payee, 9_900_000n] as const, ['platform', mandate.platform, 100_000n] as const];
  const charge = mandateCharge(world, mandate, 1, { shares });
  await bench.settle(charge);

  const store = openMemoryStore();
  const made = await settledPayment(store, { mandate });
  const { _id, ...landed } = await bench.read(charge);
  await store.records.change('charges', made.charge._id, {}, { set: { ...landed, paymentId: made.id } });
  await store.records.insert('mandates', [mandate]);
  await store.records.insert('announcements', await bench.records.find('announcements', { where: {}, limit: 10 }));
  const reader = openReader();
  const signer = createProofSigner(Buffer.alloc(32, 7));
  const deps = { retiredKeys: [], store, catalog: scriptedCatalog(), clock: () => new Date(), signer };
  const proof = await proofOf({ ...deps, chainReaders: [reader] }, TENANT, made.id);
  await reader.close();
  return proof;
}

async function keptIn(proof: Proof): Promise<Check | undefined> {
  const checks = await checkOnSolana(new Node(world.rpcUrl), proof);
  return checks.find(({ name }) => name === 'kept to the mandate');
}

it('the proof of a charge to an announced recipient names the announcement, which the chain confirms', async () => {
  const payee = world.stranger();
  const proof = await provenFor(payee);
  expect(await keptIn(proof)).toMatchObject({ ok: true });

  const { mandate, onChain } = proof;
  if (!mandate) throw new Error('the proof has no mandate');
  const { announcements: _, ...without } = mandate;
  const another = { ...mandate, announcements: [{ payee, transaction: onChain.transaction }] };
  for (const lie of [without, another]) {
    const check = await keptIn({ ...proof, mandate: lie });
    expect(check).toMatchObject({ ok: false, said: expect.stringMatching(/^share 1 would go to /) });
  }
  // The charge's own time is that of its block, and the announcement's delay counts from its block.
  expect(await keptIn({ ...proof, isSandbox: false })).toMatchObject({ ok: false });
});
