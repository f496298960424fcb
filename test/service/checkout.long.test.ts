import { ContractFactory, MaxUint256 } from 'ethers';
import { z } from 'zod';
import { erc20 } from '../../stage/erc20.ts';
import { challengeSchema, signChallenge } from '../../stage/sign-challenge.ts';
import { units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { testArtifacts } from '../chains/contracts/test-artifacts.ts';
import { useStage } from '../support/stage.ts';

const stage = useStage();

const openedSchema = z.looseObject({ asked: z.object({ operator: z.string() }) });

describe('a subscription by checkout', () => {
  it('is paid by a wallet that is a contract', async () => {
    const { chain } = stage();
    const { ContractWallet } = await testArtifacts();
    const [owner, stranger] = [await chain.newWallet('50.00'), await chain.newWallet()];
    const factory = new ContractFactory(ContractWallet.abi, ContractWallet.bytecode, owner);
    const contract = await (await factory.deploy(owner.address)).waitForDeployment();
    const address = await contract.getAddress();
    await chain.transfer(owner, address, '50.00');

    const merchant = await stage().createMerchant();
    const { offerId, priceId } = await merchant.createOffer({ price: '10.00', every: 'month' });
    const { client } = merchant;
    const post = (path: string, body: object) => client.checkout('POST', `/offers/${offerId}/${path}`, body);
    const challenge = challengeSchema.parse(await post('challenges', { address, priceId }));
    const { message } = challenge;
    const signed = { address, message, priceId, sessionKey: 'a-key-that-a-page-has-made' };
    const stolen = { ...signed, signature: await stranger.signMessage(message) };
    await expect(post('subscriptions', stolen)).rejects.toThrow(' 400 ');
    const signature = await signChallenge(owner, challenge);
    const { asked } = openedSchema.parse(await post('subscriptions', { ...signed, signature }));
    const approve = erc20.encodeFunctionData('approve', [asked.operator, MaxUint256]);
    const data = contract.interface.encodeFunctionData('execute', [chain.token, approve]);
    await chain.send(owner, { to: address, data });
    const ask = () => client.checkout('GET', `/sessions/${signed.sessionKey}`);
    const paid = await until('it is settled', ask, (is) => Object(is['outcome']).progress === 'completed');
    expect(paid).toMatchObject({ wallet: address });
    expect(await chain.movedFrom(address)).toEqual([units('10.00')]);
  }, 120_000);
});
