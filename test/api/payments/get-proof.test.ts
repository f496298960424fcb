import { checkDocument } from '../../../packages/cli/src/verify-proof/document.ts';
import { type Proof, proofSchema } from '../../../src/billing/proof/document.ts';
import { createProofSigner } from '../../../src/billing/proof/signer.ts';
import type { ChainReader, Evidence, OnChainRefund } from '../../../src/chains/chain-reader.ts';
import { canonical } from '../../../src/engine/canonical.ts';
import { ALICE, BOB, CAROL } from '../../support/bodies.ts';
import { expectError, startHttp } from '../../support/http.ts';
import {
  PLAYED_ON,
  type SettledPayment,
  type SettledWish,
  seenRefund,
  settledPayment,
} from '../../support/settled-payment.ts';

/** A scripted chain. `test/scripts/audit.long.test.ts` tries proofs against real chains. */
const signer = createProofSigner(Buffer.alloc(32, 7));
const chain: { evidence: Evidence | null; refunds: OnChainRefund[] } = { evidence: null, refunds: [] };
const reader: ChainReader = {
  chainId: PLAYED_ON,
  family: 'evm',
  label: 'A chain',
  merchantOf: () => '',
  evidence: async () => chain.evidence,
  head: async () => 100,
  blockAt: async () => 0,
  read: async function* () {},
  transactions: async () => new Map(),
  refunds: async () => chain.refunds,
  residues: async () => [],
  holdings: async () => [],
  close: async () => {},
};

/** It signed before `signer`. */
const before = createProofSigner(Buffer.alloc(32, 1));

/** The same service without a signing key. */
const chainReaders = [reader];
const http = await startHttp({ chainReaders, retiredKeys: [before.publicKey] });
const unsigned = await startHttp({ store: http.store, chainReaders, change: (deps) => ({ ...deps, signer: null }) });
const made = await http.merchant();
const key = made.testKey;
const merchantId = made.merchant._id;

const proofOf = (id: string) => http.call('GET', `/payments/${id}/proof`, { key });

async function settled(wish: SettledWish = {}): Promise<SettledPayment> {
  const made = await settledPayment(http.store, { merchantId, ...wish });
  const shares = made.seen.shares.map((share, at) => ({ ...share, index: at }));
  chain.evidence = { charge: { ...made.seen, shares }, confirmations: 12 };
  return made;
}

describe('GET /payments/{paymentId}/proof 200', () => {
  it("returns signed canonical JSON of the terms and of the chain's record", async () => {
    const { id, key: chargeKey, txHash } = await settled();
    const headers = { 'X-API-Key': key };
    const text = await (await fetch(`${http.url}/v1/payments/${id}/proof`, { headers })).text();
    const proof = proofSchema.parse(JSON.parse(text));
    expect(text).toBe(canonical(proof));
    expect(proof).toMatchObject({
      paymentId: id,
      merchantId,
      chargeKey,
      isSandbox: true,
      issuedAt: http.now.toISOString(),
      terms: { amount: '10000000', platformAmount: '100000', merchantAmount: '9900000', subscriptionId: null },
      onChain: {
        chainId: PLAYED_ON,
        transaction: txHash,
        blockNumber: 50,
        confirmations: 12,
        shares: [
          { role: 'forward', amount: '9900000', logIndex: 0 },
          { role: 'platform', amount: '100000', logIndex: 1 },
        ],
      },
    });
    const { checks } = checkDocument(Buffer.from(text), { key: signer.publicKey, anyForm: false });
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('has the refunds that settled, as the chain shows them, and no other', async () => {
    const waits = { id: 'ref_2', status: 'requested', transfer: null, settledAt: null } as const;
    const { id, key: charged } = await settled({ refunds: [{}, waits] });
    chain.refunds = [seenRefund(charged), seenRefund(charged, { index: 1 })];
    const proof = proofSchema.parse((await proofOf(id)).body);
    const place = {
      account: null,
      blockNumber: 60,
      logIndex: 4,
      reference: null,
      router: CAROL,
      transaction: '0xback',
    };
    expect(proof.refunds).toEqual([{ id: 'ref_1', amount: '4000000', from: BOB, to: ALICE, ...place }]);
    const [refund] = proof.refunds ?? [];
    if (refund === undefined) throw new Error('no refund');
    const wrongOf = (refunds: NonNullable<Proof['refunds']>) => {
      const {
        signature: { value: _, ...signature },
        ...rest
      } = { ...proof, refunds };
      const value = signer.sign({ ...rest, signature });
      const bytes = Buffer.from(canonical({ ...rest, signature: { ...signature, value } }));
      const { checks } = checkDocument(bytes, { key: signer.publicKey, anyForm: false });
      return checks.filter(({ ok }) => !ok).map(({ name }) => name);
    };
    const more = { ...refund, amount: '6000000' };
    expect(wrongOf([refund, { ...more, logIndex: 5 }])).toEqual([]);
    expect(wrongOf([refund, more])).toEqual(['refunds']);
    expect(wrongOf([refund, { ...more, amount: '6000001', logIndex: 5 }])).toEqual(['refunds']);
  });

  it('matches the document for every spelling of the id', async () => {
    const { id } = await settled();
    expect((await proofOf(id.replace('pay_', 'sub-pay-'))).status).toBe(200);
  });

  it('can be checked with a published key, also if that was retired', async () => {
    const { status, body } = await http.send('GET', '/.well-known/jwks.json');
    const jwk = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' };
    const keys = [signer, before].map(({ keyId: kid, publicKey }) => {
      return { ...jwk, kid, x: Buffer.from(publicKey, 'hex').toString('base64url') };
    });
    expect([status, body]).toEqual([200, { keys }]);
  });
});

describe('GET /payments/{paymentId}/proof 409', () => {
  it.each(['pending', 'pulled', 'failed', 'canceled'])(
    'names the expected status of a payment that is %s',
    async (status) => {
      const { id } = await settled({ status });
      expectError(await proofOf(id), 409, `Payment is ${status}; a proof needs settled`);
    },
  );

  it('answers while the chain does not have the transaction where it was', async () => {
    const { id } = await settled();
    chain.evidence = null;
    const error = 'Payment is settled, and its transaction is being searched for; a proof needs it in a block';
    expectError(await proofOf(id), 409, error);
  });

  it('answers while the chain does not have the transfer of a settled refund', async () => {
    const { id } = await settled({ refunds: [{}] });
    chain.refunds = [];
    expectError(await proofOf(id), 409, 'Refund ref_1 is settled, and its transaction is being searched for');
  });

  it('answers if no key can sign', async () => {
    const { id } = await settled();
    const reply = await unsigned.call('GET', `/payments/${id}/proof`, { key });
    expectError(reply, 409, 'Proofs are not signed here; SIGNING_KEY is needed');
  });
});
