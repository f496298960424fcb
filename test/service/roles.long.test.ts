import { Keypair, PublicKey } from '@solana/web3.js';
import { TOKEN_ROWS } from '../../src/chains/catalog-rows.ts';
import { rootOfSeed } from '../../src/chains/solana/key-root.ts';
import { keyFromSecret } from '../../src/chains/solana/keys.ts';
import { type Merchant, operatorFor, type Plan } from '../../stage/merchant.ts';
import type { Environment, ServiceProcess } from '../../stage/processes.ts';
import type { Stage } from '../../stage/stage.ts';
import { TOKEN_KEY, units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { HttpSigner, SIGNER_TOKEN } from '../support/http-signer.ts';
import { type PlayedChain, playChain, SENDER, SENDING } from '../support/public-chain.ts';
import { failedStart, startServiceProcess } from '../support/service.ts';
import { type LocalSolana, SolanaUser, startLocalSolana } from '../support/solana.ts';
import { useStage } from '../support/stage.ts';

/**
 * Two real processes on one database, and two chains that claim to be Base Sepolia and Solana's devnet. One serves
 * requests with public addresses alone; the other has the keys, and serves nobody here.
 */
const SEPOLIA = 84532;
const DEVNET = 103;
const USDC_ON_SOLANA = 'usdc-solana';
/** Of the real devnet. */
const GENESIS_HASH = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxkrZBG';
const SEED = 'c7'.repeat(32);

let sepolia: PlayedChain;
let solana: LocalSolana;
let user: SolanaUser;
let worker: ServiceProcess;

const stage = useStage(
  async () => {
    [sepolia, solana] = await Promise.all([playChain(SEPOLIA), startLocalSolana({ genesisHash: GENESIS_HASH })]);
    user = devnetUser();
    const env = {
      [`RPC_URL_${DEVNET}`]: solana.rpcUrl,
      PLATFORM_WALLET_SOLANA: solana.world.platform,
      SENDER_ADDRESSES_EVM: SENDER.address,
      SENDER_ADDRESSES_SOLANA: keyFromSecret(feePayer()).address,
      OPERATOR_PUBLIC_KEY: Buffer.from(rootOfSeed(Buffer.from(SEED, 'hex')).publicKey).toString('hex'),
      TIDELINE_ROLE: 'api',
    };
    return { publicChain: sepolia, env };
  },
  async (opened) => {
    worker = await startWorker(opened, keys());
  },
);

afterAll(() => solana?.stop());

async function startWorker({ dataDir, env }: Stage, keys: Environment): Promise<ServiceProcess> {
  return startServiceProcess({ dataDir, env: { ...env, ...keys, TIDELINE_ROLE: 'worker' } });
}

function keys(): Environment {
  return { ...SENDING, SENDER_KEYS_SOLANA: feePayer(), OPERATOR_SEED: SEED };
}

function feePayer(): string {
  return solana.world.feePayers[0] ?? '';
}

/** A user of the chain, for whom USDC is the mint of the catalog. */
function devnetUser(): SolanaUser {
  const { chain, world } = solana;
  const usdc = TOKEN_ROWS.find((row) => row.chainId === DEVNET && row.ticker === 'USDC')?.address ?? '';
  const mint = chain.account(world.tokens.find(({ ticker }) => ticker === 'USDC')?.address ?? '');
  if (!mint) throw new Error('the local chain has no USDC');
  chain.found([[usdc, mint]]);
  return new SolanaUser({ ...world, tokens: [{ ticker: 'USDC', decimals: 6, address: usdc }] });
}

const MONTHLY: Plan = { price: '10.00', every: 'month' };

/** A new merchant charges a payer on EVM for the first time. `after` happens between the approval and the charge. */
async function chargesOnEvm(after: () => Promise<void> = async () => undefined): Promise<void> {
  const merchant = await stage().createMerchant();
  const ada = await merchant.createPayer({ has: '100.00' });
  const club = await ada.subscribe(await merchant.createOffer(MONTHLY));
  await ada.approve('120.00');
  await after();
  await club.expectStatus('active', { paid: 1 });
  await ada.expectPaid(['10.00']);
  expect(await sepolia.chain.movedTo(merchant.payoutWallet)).toEqual([units('9.90')]);
}

/** A new merchant with a payout wallet on Solana. */
async function merchantOnSolana(): Promise<{ readonly merchant: Merchant; readonly payout: string }> {
  const merchant = await stage().createMerchant();
  const payout = Keypair.generate().publicKey.toBase58();
  await merchant.api.wallets.register({ tokenKey: USDC_ON_SOLANA, receiverWallet: payout });
  return { merchant, payout };
}

async function chargesOnSolana(): Promise<void> {
  const { merchant, payout } = await merchantOnSolana();
  const { priceId } = await merchant.createOffer({ ...MONTHLY, tokens: [USDC_ON_SOLANA] });
  const payer = await user.newPayer(units('100.00'));
  const address = payer.publicKey.toBase58();
  const { api } = merchant;
  const { id: customerId } = await api.customers.create({ wallets: [{ chainFamily: 'solana', address }] });
  const { id } = await api.subscriptions.create({ priceId, customerId });
  await user.approve(payer, await operatorFor(api, USDC_ON_SOLANA), units('120.00'));
  const isActive = ({ status }: { readonly status: string }) => status === 'active';
  const active = await until('it is active', async () => api.subscriptions.get(id), isActive, PATIENTLY);
  expect(active).toMatchObject({ cyclesCompleted: 1 });
  expect([await user.balanceOf(address), await user.balanceOf(payout)]).toEqual([units('90.00'), units('9.90')]);
}

const PATIENTLY = { everyMs: 300, explain: () => `${stage().service.log()}\n${worker.log()}` };

describe('a process that serves requests without a secret that can spend', () => {
  it('takes a subscription on EVM to its first settled charge, which the worker makes', () => chargesOnEvm());

  it('takes a subscription on Solana to its first settled charge, by a delegate whose key it does not have', () =>
    chargesOnSolana());

  it('gives a deposit address on Solana that the worker can empty', async () => {
    const { merchant, payout } = await merchantOnSolana();
    const made = await merchant.api.payments.create({
      amount: '5.00',
      tokenKey: USDC_ON_SOLANA,
      toWallet: payout,
      paymentMethod: 'wallet_transfer',
      idempotencyKey: 'deposit',
    });
    const payer = await user.newPayer(units('100.00'));
    await user.transfer(payer, new PublicKey(made.depositAddress ?? ''), units('5.00'));
    const isSettled = ({ status }: { readonly status: string }) => status === 'settled';
    await until('it is settled', async () => merchant.api.payments.get(made.id), isSettled, PATIENTLY);
    expect(await user.balanceOf(payout)).toBe(units('4.95'));
  });

  it('says nothing about secrets, and names each one that it was given all the same', async () => {
    const { service, dataDir, env } = stage();
    for (const { log, output } of [service, worker]) {
      expect(log()).not.toContain('secret that can spend');
      expect(output()).toMatch(
        /Charges on +lacks\n +Base Sepolia \(84532\) +nothing\n +Solana devnet \(103\) +nothing\n/,
      );
    }
    const careless = await startServiceProcess({ dataDir, env: { ...env, ...SENDING, OPERATOR_SEED: SEED } });
    for (const variable of ['SENDER_KEYS_EVM', 'OPERATOR_SEED']) {
      expect(careless.log()).toContain(`${variable} is a secret that can spend`);
    }
    expect(careless.log()).not.toContain('SENDER_KEYS_SOLANA is');
    await careless.stop();
  });

  it('makes no payment itself: its request waits for a worker', async () => {
    const merchant = await stage().createMerchant();
    const ada = await merchant.createPayer({ has: '100.00' });
    await ada.approve('120.00');
    await worker.stop();
    const wallets = { fromWallet: ada.address, toWallet: merchant.payoutWallet };
    const order = { ...wallets, amount: '10.00', tokenKey: TOKEN_KEY, idempotencyKey: 'waits' };
    const paid = merchant.api.payments.create(order);
    const { records, actors } = await stage().store();
    const asked = () => records.count('requests', {});
    await until('it is asked for', asked, (count) => count > 0, PATIENTLY);
    const made = () => actors.count('payment', { 'context.fromWallet': ada.address });
    expect(await made()).toBe(0);
    worker = await startWorker(stage(), keys());
    expect(await paid).toMatchObject({ status: 'settled' });
    expect(await made()).toBe(1);
  });

  it('does not start with the public key of another seed', async () => {
    const { dataDir, env } = stage();
    const other = { ...env, OPERATOR_SEED: 'd8'.repeat(32) };
    expect(await failedStart({ dataDir, env: other })).toContain(
      'OPERATOR_PUBLIC_KEY does not belong to OPERATOR_SEED',
    );
  });
});

describe('a worker whose sender keys are at a remote signer', () => {
  let signer: HttpSigner;

  beforeAll(async () => {
    signer = await HttpSigner.start({ evm: [SENDER.privateKey], solana: [feePayer()] });
    await worker.stop();
    const elsewhere = { SIGNER_URL_EVM: signer.url, SIGNER_URL_SOLANA: signer.url, SIGNER_TOKEN };
    worker = await startWorker(stage(), { ...elsewhere, OPERATOR_SEED: SEED });
  });
  afterAll(() => signer?.close());

  it('charges on Solana', () => chargesOnSolana());

  it('charges on EVM once the signer is back, and sends nothing that another key signed', async () => {
    const { provider } = sepolia.chain;
    const nonce = await provider.getTransactionCount(SENDER.address);
    signer.mood = 'away';
    await chargesOnEvm(async () => {
      await untilLogged(`the signer at ${signer.url} does not answer`);
      signer.mood = 'wrong';
      await untilLogged('something that is no signature by its key');
      expect(await provider.getTransactionCount(SENDER.address, 'pending')).toBe(nonce);
      signer.mood = 'honest';
    });
  });

  async function untilLogged(text: string): Promise<void> {
    await until(
      `the worker logs "${text}"`,
      () => worker.log(),
      (log) => log.includes(text),
    );
  }
});
