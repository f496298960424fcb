import { type BaseWallet, ContractFactory, MaxUint256, Wallet } from 'ethers';
import { z } from 'zod';
import { erc20 } from '../../stage/erc20.ts';
import type { Merchant } from '../../stage/merchant.ts';
import { challengeSchema, signChallenge } from '../../stage/sign-challenge.ts';
import { TOKEN_KEY, units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { testArtifacts } from '../chains/contracts/test-artifacts.ts';
import { useStage } from '../support/stage.ts';

/** What a page's wallet signs, against one real process with its chain: contracts as payers, and permits. */
const stage = useStage();

/** The checkout's page of an offer or a link, as one merchant's payers use it. */
interface Page {
  readonly merchant: Merchant;
  /** In the API of the pages. */
  readonly path: string;
  readonly priceId: string;
}

async function monthly(): Promise<Page> {
  const merchant = await stage().createMerchant();
  const { offerId, priceId } = await merchant.createOffer({ price: '10.00', every: 'month' });
  return { merchant, path: `/offers/${offerId}`, priceId };
}

async function once(): Promise<Page> {
  const merchant = await stage().createMerchant();
  const option = { amount: '25.00', acceptedTokens: [TOKEN_KEY], billing: { type: 'one_time' as const } };
  const { id, pricing } = await merchant.api.offers.create({ name: 'Coffee', pricing: [option] });
  return { merchant, path: `/offers/${id}`, priceId: pricing[0]?.id ?? '' };
}

const typedData = z.object({
  types: z.object({ Permit: z.array(z.object({ name: z.string(), type: z.string() })) }),
  domain: z.looseObject({ verifyingContract: z.string() }),
  message: z.looseObject({ value: z.string(), deadline: z.string(), nonce: z.string() }),
});

/** Signs a permit, instead of an approval. */
async function permitOf(given: unknown, signer: BaseWallet) {
  const { types, domain, message } = typedData.parse(given);
  const { value, deadline } = message;
  return { value, deadline, signature: await signer.signTypedData(domain, { Permit: types.Permit }, message) };
}

let sessions = 0;

/** The request of a page after its wallet has signed. */
async function signed({ merchant, path, priceId }: Page, signer: BaseWallet, address = signer.address) {
  const answer = await merchant.client.checkout('POST', `${path}/challenges`, { address, priceId });
  const challenge = challengeSchema.parse(answer);
  sessions += 1;
  const sessionKey = `a-key-that-a-page-has-made-${sessions}`;
  const signature = await signChallenge(signer, challenge);
  return { body: { address, message: challenge.message, signature, priceId, sessionKey } };
}

const permitState = z.object({ outcome: z.object({ progress: z.string(), permit: z.object({ status: z.string() }) }) });

/** Waits until the session is completed by the permit: two checks of the chain report them, in either order. */
function untilPaidByPermit({ client }: Merchant, path: string) {
  const ask = () => client.checkout('GET', path);
  return until('it is settled by permit', ask, (answer) => {
    const outcome = permitState.safeParse(answer).data?.outcome;
    return outcome?.progress === 'completed' && outcome.permit.status === 'taken';
  });
}

/** A wallet with 100.00 and without gas. */
async function walletWithoutGas(): Promise<BaseWallet> {
  const wallet = Wallet.createRandom();
  await stage().chain.give(wallet.address, '100.00');
  return wallet;
}

/** Checks the amount that left the wallet, and that the wallet itself sent nothing. */
async function expectTaken({ address }: BaseWallet, amount: string): Promise<void> {
  const { chain } = stage();
  expect(await chain.movedFrom(address)).toEqual([units(amount)]);
  expect(await chain.provider.getTransactionCount(address)).toBe(0);
}

describe('a subscription by checkout', () => {
  it('is paid by a wallet that is a contract', async () => {
    const { chain } = stage();
    const { ContractWallet } = await testArtifacts();
    const [owner, stranger] = [await chain.newWallet('50.00'), await chain.newWallet()];
    const factory = new ContractFactory(ContractWallet.abi, ContractWallet.bytecode, owner);
    const contract = await (await factory.deploy(owner.address)).waitForDeployment();
    const address = await contract.getAddress();
    await chain.transfer(owner, address, '50.00');

    const page = await monthly();
    const { client } = page.merchant;
    const { body } = await signed(page, owner, address);
    const path = `${page.path}/subscriptions`;
    const stolen = { ...body, signature: await stranger.signMessage(body.message) };
    await expect(client.checkout('POST', path, stolen)).rejects.toThrow(' 400 ');
    const opened = z
      .looseObject({ asked: z.object({ operator: z.string() }) })
      .parse(await client.checkout('POST', path, body));
    const approve = erc20.encodeFunctionData('approve', [opened.asked.operator, MaxUint256]);
    const data = contract.interface.encodeFunctionData('execute', [chain.token, approve]);
    await chain.send(owner, { to: address, data });
    const ask = () => client.checkout('GET', `/sessions/${body.sessionKey}`);
    const completed = { wallet: address, outcome: { progress: 'completed' } };
    expect(await until('it is settled', ask, (is) => Object(is['outcome']).progress === 'completed')).toMatchObject(
      completed,
    );
    expect(await chain.movedFrom(address)).toEqual([units('10.00')]);
  }, 120_000);
});

describe('a permit instead of an approval', () => {
  it('lets a wallet without gas subscribe without a transaction', async () => {
    const page = await monthly();
    const { client } = page.merchant;
    const wallet = await walletWithoutGas();
    const { body } = await signed(page, wallet);
    const open = (more: object) => client.checkout('POST', `${page.path}/subscriptions`, { ...body, ...more });
    const permit = await permitOf((await open({}))['permitToSign'], wallet);
    expect(permit.value).toBe(String(units('120.00')));
    const buy = () => open({ permit });
    expect(await buy()).toMatchObject({ outcome: { permit: { failureReason: null, valueBaseUnits: permit.value } } });
    expect(await untilPaidByPermit(page.merchant, `/sessions/${body.sessionKey}`)).toMatchObject({
      chain: { allowance: '110.00', balance: '90.00' },
      outcome: {
        subscription: { status: 'active', cyclesCompleted: 1 },
        permit: { status: 'taken', txHash: expect.stringMatching(/^0x/) },
      },
    });
    await expectTaken(wallet, '10.00');
    expect(await buy()).toMatchObject({ outcome: { permit: { status: 'taken' } } });
  }, 120_000);

  it('pays once if it is submitted after the session was opened', async () => {
    const page = await once();
    const wallet = await walletWithoutGas();
    const { body } = await signed(page, wallet);
    const pay = (more: object) => page.merchant.client.checkout('POST', `${page.path}/payments`, { ...body, ...more });
    const opened = await pay({});
    expect(opened).toMatchObject({ outcome: { progress: 'waiting', permit: null } });
    const permit = await permitOf(opened['permitToSign'], wallet);
    await expect(pay({ permit: { ...permit, value: '24999999' } })).rejects.toThrow(
      'permit.value must be at least 25000000 base units (25.00 USDC), which the next charges take; got 24999999',
    );
    await pay({ permit });
    const paid = await untilPaidByPermit(page.merchant, `/sessions/${body.sessionKey}`);
    expect(paid).toMatchObject({ permitToSign: null });
    await expectTaken(wallet, '25.00');
  }, 120_000);

  it('authorizes the subscription of a link', async () => {
    const { merchant, priceId } = await monthly();
    const { id: customerId } = await merchant.api.customers.create({});
    const { authorizationUrl } = await merchant.api.subscriptions.create({ priceId, customerId });
    const path = `/authorizations/${authorizationUrl?.split('/').at(-1)}`;
    const wallet = await walletWithoutGas();
    const { address, message, signature } = (await signed({ merchant, path, priceId }, wallet)).body;
    const authorize = (more: object) =>
      merchant.client.checkout('POST', path, { address, message, signature, ...more });
    const permit = await permitOf((await authorize({}))['permitToSign'], wallet);
    const late = { permit: { ...permit, deadline: '1' } };
    await expect(authorize(late)).rejects.toThrow('permit.deadline must be at least two minutes ahead');
    expect(await authorize({ permit })).toMatchObject({ outcome: { permit: { failureReason: null } } });
    expect(await untilPaidByPermit(merchant, path)).toMatchObject({ isAuthorized: true });
    await expectTaken(wallet, '10.00');
  }, 120_000);
});
