import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { freshAddress } from '../evm/world.ts';
import { newKey } from '../support/world.ts';
import { useRouter } from './world.ts';

const world = useRouter();

/** A merchant with 1,000, of which the router may take 600. */
async function merchantWithMoney(token?: string): Promise<string> {
  const merchant = freshAddress();
  await world.mint(merchant, 1_000n, token);
  await world.approveOperator(merchant, world.router, 600n, token);
  return merchant;
}

function refund(from: string, to: string, amount: bigint, token = world.token) {
  return world.send(from, world.router, routerInterface.encodeFunctionData('refund', [newKey(), token, to, amount]));
}

describe('the refund of a charge', () => {
  it('takes no more than the caller has approved, and nothing of anybody else', async () => {
    const merchant = await merchantWithMoney();
    expect((await refund(merchant, freshAddress(), 601n)).reason).toMatchObject({ kind: 'refund_failed' });
    expect((await refund(freshAddress(), freshAddress(), 1n)).reason).toMatchObject({ kind: 'refund_failed' });
    expect(await world.balanceOf(merchant)).toBe(1_000n);
  });

  it('is of a token, of something, and to somebody who can keep it', async () => {
    const merchant = await merchantWithMoney();
    expect((await refund(merchant, freshAddress(), 0n)).reason).toMatchObject({ kind: 'zero_refund' });
    const token = freshAddress();
    expect((await refund(merchant, freshAddress(), 1n, token)).reason).toEqual({ kind: 'not_a_token', token });
    for (const to of [world.token, world.router, `0x${'00'.repeat(20)}`]) {
      expect((await refund(merchant, to, 1n)).reason).toMatchObject({ kind: 'bad_recipient' });
    }
    expect((await refund(merchant, merchant, 1n)).reason).toMatchObject({ kind: 'arrival_mismatch' });
  });

  it('says nothing where a token keeps a part', async () => {
    const token = await world.deployTest('HostileToken');
    await world.setMode(token, 'KeepsFee');
    const merchant = await merchantWithMoney(token.address);
    const sent = await refund(merchant, freshAddress(), 600n, token.address);
    expect([sent.reason?.kind, sent.logs]).toEqual(['arrival_mismatch', []]);
  });
});
