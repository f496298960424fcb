import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonRpcProvider, Wallet } from 'ethers';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { localKey } from '../../devnet/evm-wallets.ts';
import { solanaWorld } from '../../devnet/solana-world.ts';
import { checkDocument } from '../../packages/cli/src/verify-proof/document.ts';
import { checkOnEvm } from '../../packages/cli/src/verify-proof/evm.ts';
import { Node } from '../../packages/cli/src/verify-proof/node.ts';
import { checkOnSolana } from '../../packages/cli/src/verify-proof/solana.ts';
import { type DevnetFacts, tokenNamed, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { type Proof, proofSchema } from '../../src/billing/proof/document.ts';
import { createProofSigner } from '../../src/billing/proof/signer.ts';
import { merchantSalt } from '../../src/chains/evm/contracts/router.ts';
import { Delegates, rootOfSeed } from '../../src/chains/solana/key-root.ts';
import { publicKeyOf } from '../../src/chains/solana/public-keys.ts';
import { canonical } from '../../src/engine/canonical.ts';
import type { Merchant } from '../../stage/merchant.ts';
import type { Stage } from '../../stage/stage.ts';
import { until } from '../../stage/until.ts';
import { encodeCharge } from '../chains/contracts/world.ts';
import { auditOf, devnetOf } from '../support/audit.ts';
import { callSolana, createTransferCheckedInstruction, SolanaUser } from '../support/solana.ts';
import { useStage } from '../support/stage.ts';
import { runOps, runTideline } from './support/run-script.ts';

/**
 * A service's charges on both chains, proven and audited by child processes with its environment, as people run them.
 * The service has ended by then; manual changes use its database and its keys.
 */
let merchant: Merchant;
let facts: DevnetFacts;
let provider: JsonRpcProvider;
let db: Db;
let solanaUrl: string;
let publicKey: string;
/** As they were served. */
const proofs = { evm: '', cycle: '', solana: '' };

const jwks = z.object({ keys: z.tuple([z.object({ x: z.string(), kid: z.string(), crv: z.literal('Ed25519') })]) });

const stage = useStage({ env: { LOCAL_DEVNETS: 'on' } }, async (opened) => {
  merchant = await opened.createMerchant();
  await makesInvoices(opened);
  ({ facts, provider } = opened.chain);
  const reported = await (await fetch(`${opened.url}/devnet.json`)).json();
  solanaUrl = z.object({ solana: z.object({ rpcUrl: z.string() }) }).parse(reported).solana.rpcUrl;
  const { keys } = jwks.parse(await (await fetch(`${opened.url}/.well-known/jwks.json`)).json());
  publicKey = Buffer.from(keys[0].x, 'base64url').toString('hex');

  const ada = await merchant.createPayer({ has: '100.00' });
  const club = await ada.subscribe(await merchant.createOffer({ price: '10.00', every: 'month' }));
  await ada.approve('100.00');
  await club.expectStatus('active', { paid: 1 });
  proofs.cycle = await served((await club.payments())[0]?.id ?? '');
  const [onEvm, onSolana] = [await paid('usdc-base', facts), await paid('usdc-solana', solanaWorld(solanaUrl, ''))];
  await merchant.refund(onEvm, '1.00');
  await refundOnSolana(await SolanaUser.open(opened.url), onSolana);
  for (const id of [onEvm, onSolana]) await untilRefunded(id);
  for (const id of [onEvm, onSolana]) await untilCredited(id);
  proofs.evm = await served(onEvm);
  proofs.solana = await served(onSolana);
  await untilAudited();
  await opened.stopService();
  db = (await opened.openClient()).db('tideline');
});

type Wallets = readonly { readonly name: string; readonly address: string }[];

async function paid(tokenKey: string, { wallets }: { readonly wallets: Wallets }): Promise<string> {
  const addressOf = (name: string) => wallets.find((each) => each.name === name)?.address ?? '';
  const payment = await merchant.api.payments.create({
    amount: '2.50',
    tokenKey,
    idempotencyKey: `of ${tokenKey}`,
    fromWallet: addressOf('approved'),
    toWallet: addressOf('merchant'),
  });
  expect(payment).toMatchObject({ status: 'settled', failureReason: null });
  return payment.id;
}

/** The wallet that was paid gives 1.00 back. */
async function refundOnSolana(user: SolanaUser, paymentId: string): Promise<void> {
  const asked = { amount: '1.00', idempotencyKey: `of ${paymentId}` };
  const { transactions } = await merchant.api.payments.refund(paymentId, asked);
  const [drafted] = transactions ?? [];
  if (drafted?.family !== 'solana') throw new Error('expected a transaction for Solana');
  await user.sendDrafted(drafted.transaction, user.wallet('merchant'));
}

async function untilRefunded(paymentId: string): Promise<void> {
  const ask = async () => merchant.api.payments.get(paymentId);
  await until(`${paymentId} is refunded`, ask, ({ refundedAmount }) => refundedAmount === '1.00');
}

async function makesInvoices(opened: Stage): Promise<void> {
  const merchants = (await opened.openClient()).db('tideline').collection<{ _id: string }>('merchants');
  const taxes = { isTaxIncluded: true, taxRate: '19', taxRates: {} };
  const invoicing = { since: new Date(0), country: 'DE', taxId: null, currency: 'EUR', ...taxes };
  const branding = { logo: null, accentColor: null, legalName: 'Acme GmbH', legalAddress: 'Main Street 1' };
  await merchants.updateOne({ _id: merchant.client.id }, { $set: { invoicing, branding } });
}

async function untilCredited(paymentId: string): Promise<void> {
  const ask = async () => merchant.api.payments.invoice(paymentId).catch(() => null);
  await until(`${paymentId} has its credit note`, ask, (invoice) => invoice?.creditNotes.length === 1, {
    everyMs: 1_000,
    withinMs: 120_000,
  });
}

/** Waits until the recurring job has found nothing, as `/health` shows. */
async function untilAudited(): Promise<void> {
  const shape = z.object({
    details: z.object({ audit: z.object({ at: z.string().nullable(), differences: z.number() }) }),
  });
  const { url, token } = stage().staff();
  const headers = { Authorization: `Bearer ${token}` };
  const audited = async () => {
    const { audit } = shape.parse(await (await fetch(`${url}/health`, { headers })).json()).details;
    expect(audit.differences).toBe(0);
    return audit.at;
  };
  await until('it is audited', audited, (at) => at !== null, { everyMs: 100, explain: () => stage().service.log() });
}

/** The proof of a payment, byte for byte. */
async function served(paymentId: string): Promise<string> {
  const headers = { 'X-API-Key': merchant.client.testKey };
  const response = await fetch(`${stage().url}/v1/payments/${paymentId}/proof`, { headers });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  return text;
}

const verdict = z.object({ valid: z.boolean(), checks: z.array(z.object({ name: z.string(), ok: z.boolean() })) });

/** A file with the text of a proof. */
async function fileOf(proof: string): Promise<string> {
  const file = join(stage().dataDir, 'proof.json');
  await writeFile(file, proof);
  return file;
}

async function verify(proof: string, rpc: string, ...more: string[]) {
  const file = await fileOf(proof);
  const { exitCode, stdout, stderr } = await runTideline(['verify-proof', file, '--rpc', rpc, '--json', ...more]);
  expect(stderr).toBe('');
  const { valid, checks } = verdict.parse(JSON.parse(stdout));
  return { exitCode, valid, wrong: checks.filter(({ ok }) => !ok).map(({ name }) => name) };
}

const HOLDS = { exitCode: 0, valid: true, wrong: [] };

const audit = () => auditOf(stage().dataDir);

describe('npm run tideline -- verify-proof', () => {
  it('accepts proofs of a payment, of a cycle and of a payment on Solana, without the service', async () => {
    expect(await verify(proofs.evm, facts.rpcUrl, '--key', publicKey)).toEqual(HOLDS);
    expect(await verify(proofs.cycle, facts.rpcUrl)).toEqual(HOLDS);
    expect(await verify(`${proofs.solana}\n`, solanaUrl, '--key', publicKey)).toEqual(HOLDS);
  }, 120_000);

  it('shows its checks in a table, and refuses a key that is not the trusted one', async () => {
    const file = await fileOf(proofs.evm);
    const end = await runTideline(['verify-proof', file, '--rpc', facts.rpcUrl, '--key', 'ab'.repeat(32)]);
    expect(end).toMatchObject({ exitCode: 1, stderr: '' });
    expect(end.stdout).toMatch(/^ok {2}signature {6}Ed25519, over all of it$/m);
    expect(end.stdout).toMatch(new RegExp(`^NO {2}key +${publicKey}; expected abab`, 'm'));
    expect(end.stdout).toContain('The proof does not hold.');
  }, 120_000);

  it('prints its usage for wrong arguments, and an error if the node does not answer', async () => {
    expect(await runTideline(['verify-proof'])).toMatchObject({ exitCode: 2 });
    const file = await fileOf(proofs.evm);
    const end = await runTideline(['verify-proof', file, '--rpc', 'http://user:secret@127.0.0.1:9/key']);
    expect(end).toMatchObject({ exitCode: 1, stderr: 'The node at 127.0.0.1:9 does not answer in JSON\n' });
  }, 120_000);
});

it('a bundle of a month holds offline, and not when a file of it was changed', async () => {
  const folder = join(stage().dataDir, 'bundle');
  const about = ['--merchant', merchant.client.id, '--mode', 'test', '--month', new Date().toISOString().slice(0, 7)];
  const written = await runOps('audit', ['--bundle', folder, ...about], devnetOf(stage().dataDir));
  expect(written).toMatchObject({ exitCode: 0, stderr: '' });
  const refused = [
    [[folder, ...about], 'is not empty'],
    [[`${folder}-2`, ...about.slice(2), '--merchant', 'mrc_none'], 'no merchant mrc_none'],
  ] as const;
  for (const [args, why] of refused) {
    const end = await runOps('audit', ['--bundle', ...args], devnetOf(stage().dataDir));
    expect([end.exitCode, end.stderr]).toEqual([1, expect.stringContaining(why)]);
  }
  const shown = (await runTideline(['verify-bundle', folder])).stdout;
  for (const text of ['(UTC) of mrc_', 'test mode', 'before the month was over', '2 in the proofs, of 1000000 base'])
    expect(shown).toContain(text);
  const check = async (...more: string[]) => {
    const { exitCode, stdout } = await runTideline(['verify-bundle', folder, '--json', ...more]);
    const { checks } = verdict.parse(JSON.parse(stdout));
    return { exitCode, wrong: checks.filter(({ ok }) => !ok).map(({ name }) => name) };
  };
  expect(await check('--key', publicKey)).toEqual({ exitCode: 0, wrong: [] });
  expect((await readdir(join(folder, 'payments'))).length).toBe(3);
  const file = join(folder, 'audit.json');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"others":0', '"others":1'));
  expect(await check()).toEqual({ exitCode: 1, wrong: ['files'] });
  await writeFile(file, text);
  await writeFile(join(folder, 'payments', 'pay_other.json'), proofs.evm);
  expect((await check()).wrong).toEqual(['files', 'proofs']);

  const invoices = db.collection('invoices').find({ merchantId: merchant.client.id });
  const totals = (await invoices.toArray()).map(({ corrects, total }) => `${corrects === null ? '' : '-'}${total}`);
  expect(totals.sort()).toEqual(['-1000000', '-1000000', '10000000', '2500000', '2500000']);
}, 120_000);

describe('a proof', () => {
  const lax = { key: null, anyForm: true } as const;
  const strict = { key: null, anyForm: false } as const;
  const valid = (bytes: Uint8Array, options: typeof lax | typeof strict = strict) =>
    checkDocument(bytes, options).checks.every(({ ok }) => ok);

  it.each(['evm', 'cycle', 'solana'] as const)('%s is refused after any byte of it is changed', (name) => {
    const bytes = Buffer.from(proofs[name]);
    expect(valid(bytes)).toBe(true);
    const taken = [...bytes.keys()].filter((at) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 7));
      return valid(changed);
    });
    expect(taken).toEqual([]);
    const shorter = [...bytes.keys()].filter((at) =>
      valid(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])),
    );
    expect(shorter).toEqual([]);
  });

  it('in another form is accepted only with --any-form', () => {
    const other = Buffer.from(
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(proofs.evm)).reverse()), null, 2),
    );
    expect(valid(other)).toBe(false);
    expect(valid(other, lax)).toBe(true);
  });

  /** A forged proof by somebody with a key. */
  function signedAnew(proof: Proof): Uint8Array {
    const signer = createProofSigner(Buffer.alloc(32, 9));
    const signature = { algorithm: 'Ed25519' as const, keyId: signer.keyId, publicKey: signer.publicKey };
    return Buffer.from(
      canonical({ ...proof, signature: { ...signature, value: signer.sign({ ...proof, signature }) } }),
    );
  }

  const evm = () => proofSchema.parse(JSON.parse(proofs.evm));
  const solana = () => proofSchema.parse(JSON.parse(proofs.solana));

  async function wrongOf(proof: Proof): Promise<string[]> {
    const { checks } = checkDocument(signedAnew(proof), strict);
    const isEvm = proof.onChain.family === 'evm';
    const more = isEvm
      ? await checkOnEvm(new Node(facts.rpcUrl), proof)
      : await checkOnSolana(new Node(solanaUrl), proof);
    return [...checks, ...more].filter(({ ok }) => !ok).map(({ name }) => name);
  }

  it('holds if its transaction is shown with a later version', async () => {
    await callSolana(solanaUrl, 'tideline_showAs', [solana().onChain.transaction, 1]);
    expect(await wrongOf(solana())).toEqual([]);
    expect((await audit()).differences).toEqual([]);
  });

  it('that is signed well but lies about the chain is refused by any node', async () => {
    expect(await wrongOf(evm())).toEqual([]);
    expect(await wrongOf(solana())).toEqual([]);
    for (const proof of [evm(), solana()]) {
      for (const [field, lie] of lies(proof)) {
        const wrong = await wrongOf({ ...proof, onChain: { ...proof.onChain, ...lie } });
        expect([proof.onChain.family, field, wrong.length > 0]).toEqual([proof.onChain.family, field, true]);
      }
    }
  });

  it('that lies about a refund is refused by any node', async () => {
    for (const proof of [evm(), solana()]) {
      const [refund] = proof.refunds ?? [];
      if (refund === undefined) throw new Error('the proof has no refund');
      const other = proof.onChain.shares[1]?.to ?? '';
      const lies: Partial<typeof refund>[] = [
        { amount: '1000001' },
        { blockNumber: refund.blockNumber - 1 },
        { from: other },
        { logIndex: refund.logIndex + 1 },
        { to: other },
        { transaction: proof.onChain.transaction },
        ...(refund.router === null ? [{ reference: other }, { account: other }] : [{ router: other }]),
      ];
      for (const lie of lies) {
        const wrong = await wrongOf({ ...proof, refunds: [{ ...refund, ...lie }] });
        expect([lie, wrong]).toEqual([lie, ['refund']]);
      }
    }
  });

  it('has the paid terms', () => {
    expect(evm()).toMatchObject({
      merchantId: merchant.id,
      isSandbox: true,
      terms: { amount: '2500000', tokenKey: 'usdc-base', chainId: 8453, platformAmount: '25000', feeBps: 100 },
      onChain: {
        chainId: 31337,
        gross: '2500000',
        shares: [{ role: 'forward' }, { role: 'platform', amount: '25000' }],
      },
    });
    const cycle = proofSchema.parse(JSON.parse(proofs.cycle));
    expect(cycle.terms).toMatchObject({ cycle: 1, subscriptionId: expect.stringMatching(/^sub_/), amount: '10000000' });
    expect(solana().onChain).toMatchObject({ family: 'solana', chainId: 104, gross: '2500000', router: null });
  });
});

/** One lie in each field of a proof about the chain. */
function lies({ onChain }: Proof): [string, Partial<Proof['onChain']>][] {
  const [first, ...rest] = onChain.shares;
  if (!first) throw new Error('no shares');
  const share = (change: Partial<typeof first>): Partial<Proof['onChain']> => ({
    shares: [{ ...first, ...change }, ...rest],
  });
  const other = onChain.shares[1]?.to ?? '';
  const onlyOnEvm: [string, object][] = [
    ['chainId', { chainId: 1 }],
    ['router', { router: other }],
  ];
  return [
    ...(onChain.family === 'evm' ? onlyOnEvm : []),
    ['blockHash', { blockHash: onChain.transaction }],
    ['blockNumber', { blockNumber: onChain.blockNumber - 1 }],
    ['confirmations', { confirmations: 10 ** 9 }],
    ['from', { from: other }],
    ['gross', { gross: '1' }],
    ['logIndex', { logIndex: onChain.logIndex + 50 }],
    ['merchant', { merchant: onChain.blockHash }],
    ['shares', { shares: rest }],
    [
      'a share twice',
      { gross: String(BigInt(onChain.gross) + BigInt(first.amount)), shares: [first, ...onChain.shares] },
    ],
    ['amount of a share', share({ amount: '2475001' })],
    ['logIndex of a share', share({ logIndex: first.logIndex + 1 })],
    ['recipient of a share', share({ to: other })],
    ['token', { token: other }],
    ['transaction', { transaction: onChain.blockHash }],
  ];
}

describe('npm run ops -- audit', () => {
  it("finds no difference in a service's charges, on both chains", async () => {
    const { exitCode, count, chains } = await audit();
    expect([exitCode, count]).toEqual([0, 0]);
    expect(chains).toMatchObject([
      { chainId: 31337, charges: 2, payments: 2 },
      { chainId: 104, charges: 1, payments: 1 },
    ]);
  }, 120_000);

  it('finds a settled refund that was changed in the database, and one that was removed there, on either chain', async () => {
    const payments = db.collection<{ _id: string }>('payments');
    const idOf = (text: string): string => JSON.parse(text).paymentId;
    const [changed, removed] = [idOf(proofs.evm), idOf(proofs.solana)];
    const before = await payments.find({ _id: { $in: [changed, removed] } }).toArray();
    const expired = { 'context.refunds.0.status': 'expired', 'context.refunds.0.transfer': null };
    await payments.updateOne({ _id: changed }, { $set: { 'context.refunds.0.due': '1000001' } });
    await payments.updateOne({ _id: removed }, { $set: expired });
    await db.collection<{ _id: string }>('watches').deleteMany({ _id: `${removed}:refunds` });
    const { differences } = await audit();
    const stray = String(differences.find(({ kind }) => kind === 'unknown_refund')?.['txHash']);
    const acknowledge = (...more: string[]) =>
      runOps('audit', ['--acknowledge', stray, ...more], devnetOf(stage().dataDir));
    expect(await acknowledge('--by', 'ada')).toMatchObject({ exitCode: 2 });
    const done = await acknowledge('--by', 'ada', '--reason', 'it came too late, and the shop knows it');
    expect(done).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`Acknowledged for ${removed}`) });
    expect((await audit()).differences.map(({ kind }) => kind)).toEqual(['refund_differs']);
    for (const { _id, ...doc } of before) await payments.replaceOne({ _id }, doc);
    expect(differences).toMatchObject([
      {
        kind: 'refund_differs',
        paymentId: changed,
        what: expect.stringContaining('its amount is 1000001 in the ledger'),
      },
      { kind: 'unknown_refund', paymentId: removed },
    ]);
  }, 120_000);

  it('finds a charge that was deleted from the database, on either chain', async () => {
    const charges = db.collection<{ _id: string; paymentId: string }>('charges');
    const ids = [proofs.cycle, proofs.solana].map((text) => JSON.parse(text).paymentId);
    const deleted = await charges.find({ paymentId: { $in: ids } }).toArray();
    await charges.deleteMany({ paymentId: { $in: ids } });
    const { exitCode, differences } = await audit();
    await charges.insertMany(deleted);
    expect(exitCode).toBe(1);
    expect(differences).toMatchObject(ids.map((paymentId) => ({ kind: 'charge_missing', paymentId })));
  }, 120_000);

  it("finds transactions by the service's keys that are not charges", async () => {
    const [charged, moved] = [await chargeByHand(), await moveByHand()];
    // By the clock of the chain, which may be ahead of that of the other one.
    const block = await provider.getBlock((await provider.getTransactionReceipt(charged))?.blockNumber ?? 0);
    const since = new Date((block?.timestamp ?? 0) * 1_000);
    await until(
      'Solana has reached that moment',
      async () => new Date(),
      (now) => now > since,
      { everyMs: 50 },
    );
    const onSolana = await moveOnSolana();
    const { exitCode, differences } = await audit();
    expect(exitCode).toBe(1);
    expect(differences).toMatchObject([
      { kind: 'unknown_charge', txHash: charged, paymentId: null },
      { kind: 'unknown_movement', txHash: moved },
      { kind: 'unknown_movement', txHash: onSolana },
    ]);
    const table = await runOps('audit', ['--since', since.toISOString()], devnetOf(stage().dataDir));
    expect(table.exitCode).toBe(1);
    expect(table.stdout).toMatch(/^Local EVM +\d+ to \d+ +1 +0 +2$/m);
    expect(table.stdout).toContain(charged);
    expect(table.stdout).toContain('3 differences');
  }, 120_000);

  /** Charges a wallet through the router, for a key without a payment. */
  async function chargeByHand(): Promise<string> {
    const sender = new Wallet(localKey('sender 1').privateKey, provider);
    const data = encodeCharge({
      key: `0x${'5e'.repeat(32)}`,
      merchant: merchantSalt(merchant.id, 'test'),
      token: tokenNamed(facts, 'usdc-local-evm'),
      from: walletNamed(facts, 'approved').address,
      gross: 1_000n,
      to: [walletNamed(facts, 'payer-9').address],
      amounts: [1_000n],
    });
    return (await stage().chain.send(sender, { to: facts.router, data })).hash;
  }

  /** A sender sends tokens on that it had got. */
  async function moveByHand(): Promise<string> {
    const { chain } = stage();
    const [sender, payer] = [new Wallet(localKey('sender 1').privateKey, provider), chain.wallet('payer-9')];
    await chain.transfer(payer, sender.address, 500n);
    return chain.transfer(sender, payer.address, 500n);
  }

  /** The merchant's delegate pulls from a wallet that has approved it, and a stranger pays the fee. */
  async function moveOnSolana(): Promise<string> {
    const world = solanaWorld(solanaUrl, '');
    const user = new SolanaUser(world);
    const delegate = new Delegates(rootOfSeed(world.operatorSeed)).of({ merchantId: merchant.id, mode: 'test' }, false);
    const stranger = user.wallet('payer-9');
    const [from, to] = [user.accountOf(user.wallet('approved').publicKey), user.accountOf(stranger.publicKey)];
    const [mint, owner, program] = [user.mint(), publicKeyOf(delegate.address), user.program()];
    const pull = createTransferCheckedInstruction(from, mint, to, owner, 700n, 6, [], program);
    return user.actWith([pull], stranger, delegate);
  }
});

describe('when the block of a charge is replaced', () => {
  beforeAll(async () => {
    const { transaction } = proofSchema.parse(JSON.parse(proofs.evm)).onChain;
    await stage().chain.replaceBlockOf(transaction, { isDisplaced: false });
  });

  it('its proof does not hold any more, and that of an earlier charge does', async () => {
    const { wrong, exitCode } = await verify(proofs.evm, facts.rpcUrl);
    expect(exitCode).toBe(1);
    expect(wrong).toEqual(['transaction', 'block', 'charge', 'forward', 'platform', 'refund']);
    expect(await verify(proofs.cycle, facts.rpcUrl)).toEqual(HOLDS);
  }, 120_000);
});
