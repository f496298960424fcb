import type { Check } from '../../packages/cli/src/verify-proof/checks.ts';
import { checkDocument } from '../../packages/cli/src/verify-proof/document.ts';
import { checkOnEvm } from '../../packages/cli/src/verify-proof/evm.ts';
import { Node } from '../../packages/cli/src/verify-proof/node.ts';
import { type Proof, proofSchema } from '../../src/billing/proof/document.ts';
import { proofOf } from '../../src/billing/proof/proofs.ts';
import { createProofSigner } from '../../src/billing/proof/signer.ts';
import { routerInterface } from '../../src/chains/evm/contracts/router.ts';
import { canonical } from '../../src/engine/canonical.ts';
import type { MandateDoc } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { scriptedCatalog } from '../../stage/scripted-chain.ts';
import { EvmBench } from '../chains/evm/bench.ts';
import { contractPayer, type MandatePayer, mandatePayer, signedMandate } from '../chains/evm/signed-mandates.ts';
import { EvmWorld, MERCHANT } from '../chains/evm/world.ts';
import { mandateCharge } from '../chains/support/mandates.ts';
import { settledPayment } from '../support/settled-payment.ts';

const signer = createProofSigner(Buffer.alloc(32, 7));

const world = new EvmWorld();
beforeAll(async () => {
  await world.start();
  world.pump();
});
afterAll(() => world.stop());

/** The proof of a payment that a chain has charged under a mandate. */
async function proven(
  change: Partial<MandateDoc> = {},
  { to = MERCHANT, payer = mandatePayer(world) }: { to?: string; payer?: Promise<MandatePayer> } = {},
): Promise<Proof> {
  const bench = new EvmBench(world);
  const store = { ...openMemoryStore(), records: bench.records };
  const { address } = await payer;
  const mandate = await signedMandate(world, bench.records, await payer, change);
  const shares = [['forward', to, 9_900_000n] as const, ['platform', mandate.platform, 100_000n] as const];
  const { _id, ...wish } = mandateCharge(world, mandate, 1, { shares });
  const made = await settledPayment(store, { mandate });
  await store.records.change('charges', made.charge._id, {}, { set: { ...wish, paymentId: made.id } });
  await bench.start();
  await bench.untilState([made.charge], 'final');
  const reader = world.reader();
  const deps = {
    retiredKeys: [],
    store,
    catalog: scriptedCatalog(),
    clock: () => new Date(),
    chainReaders: [reader],
    signer,
  };
  const proof = await proofOf(deps, { merchantId: 'mrc_a', mode: 'test' }, made.id);
  await reader.close();
  await bench.stop();
  return signedAnew({ ...proof, terms: { ...proof.terms, payer: address, recipient: to } });
}

/** Signed by somebody who has a signing key, and may lie. */
function signedAnew({ signature: { value: _, ...signature }, ...rest }: Proof): Proof {
  const unsigned = { ...rest, signature };
  return proofSchema.parse({ ...unsigned, signature: { ...signature, value: signer.sign(unsigned) } });
}

async function checksOf(proof: Proof): Promise<readonly Check[]> {
  const document = checkDocument(Buffer.from(canonical(proof)), { key: null, anyForm: false });
  return [...document.checks, ...(await checkOnEvm(new Node(world.rpcUrl), proof))];
}

async function wrongIn(proof: Proof): Promise<string[]> {
  return (await checksOf(proof)).filter(({ ok }) => !ok).map(({ name, said }) => `${name}: ${said}`);
}

/** The same proof with another mandate in it, signed by the service. */
function lying(proof: Proof, change: Partial<NonNullable<Proof['mandate']>>): Proof {
  if (!proof.mandate) throw new Error('the proof has no mandate');
  return signedAnew({ ...proof, mandate: { ...proof.mandate, ...change } });
}

describe('the proof of a charge under a mandate', () => {
  it('has the mandate with the signature of the payer, and holds', async () => {
    const proof = await proven();
    expect(proof.mandate).toMatchObject({ payer: proof.onChain.from, perCharge: '10000000', cycle: 1 });
    const checks = await checksOf(proof);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    const said = new Map(checks.map((check) => [check.name, check.said]));
    expect(said.get("payer's signature")).toBe(`of the key of ${proof.onChain.from}`);
    expect(said.get('kept to the mandate')).toBe('amount, recipients, fee and moment');
  });

  it('does not hold with terms that the payer has not signed', async () => {
    const proof = await proven();
    for (const change of [
      { perCharge: '20000000' },
      { per30Days: '20000000' },
      { feeBps: 200 },
      { payees: [] },
      { interval: 1 },
      { end: 9 },
    ]) {
      expect((await wrongIn(lying(proof, change))).join()).toMatch(/mandate: hash: 0x/);
    }
    const { signature } = (await proven()).mandate ?? {};
    expect(await wrongIn(lying(proof, { signature: signature ?? '' }))).toEqual([
      "payer's contract: the payer is no contract, and its key did not sign",
    ]);
  });

  it('holds if the wallet is a contract that confirms the signature (EIP-1271)', async () => {
    const proof = await proven({}, { payer: contractPayer(world) });
    const checks = await checksOf(proof);
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    const said = new Map(checks.map((check) => [check.name, check.said]));
    expect(said.get("payer's contract")).toBe('it confirms the signature (EIP-1271)');
    const { signature } = (await proven()).mandate ?? {};
    expect(await wrongIn(lying(proof, { signature: signature ?? '' }))).toEqual([
      "payer's contract: it does not confirm the signature now",
    ]);
  });

  it('names what the charge has taken against its mandate', async () => {
    const proof = await proven();
    const breaches: readonly [Partial<NonNullable<Proof['mandate']>>, RegExp][] = [
      [
        { perCharge: '9999999' },
        /kept to the mandate: the amount is 10000000, and the mandate allows 9999999 a charge/,
      ],
      [{ feeBps: 99 }, /kept to the mandate: the platform would get 100000/],
      [{ payees: [] }, /kept to the mandate: share 1 would go to 0x/],
      [{ start: 2 ** 40 - 2 }, /kept to the mandate: the mandate allows no charge before/],
      [{ end: 1 }, /kept to the mandate: the mandate allows no charge after 1970/],
    ];
    for (const [change, sentence] of breaches) expect((await wrongIn(lying(proof, change))).join()).toMatch(sentence);
  });

  it('has the limit of 30 days that the payer has signed', async () => {
    const proof = await proven({ per30Days: '10000000' });
    expect([proof.mandate?.per30Days, await wrongIn(proof)]).toEqual(['10000000', []]);
    const less = (await wrongIn(lying(proof, { per30Days: '9999999' }))).join();
    expect(less).toContain('kept to the mandate: 10000000 would be taken in 30 days, and the mandate allows 9999999');
  });

  it('holds if the recipient was announced to the router instead', async () => {
    const other = '0x0000000000000000000000000000000000005911';
    const sender = world.senders[1] ?? '';
    const salt = (await proven()).onChain.merchant;
    await world.act(sender, world.router, routerInterface.encodeFunctionData('announcePayee', [salt, other]));
    expect(await wrongIn(await proven({}, { to: other }))).toEqual([]);
  });

  it('does not pass as the proof of an open charge', async () => {
    const { mandate: _, ...proof } = await proven();
    expect((await wrongIn(signedAnew({ ...proof, mandate: null }))).join()).toMatch(/charge key: .*forward: from: /);
  });
});
