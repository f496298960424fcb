import { merchantSalt, routerInterface } from '../../src/chains/evm/contracts/router.ts';
import { apiOfLink } from '../../stage/authorize.ts';
import { FIRST_CHARGE } from '../../stage/story.ts';
import { TOKEN_KEY, units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';
import { subscribed } from './support/subscribed.ts';

/** Changes around a living subscription. The stories begin on 1 January 2028. */
const stage = useStage({ on: '2028-01-01', env: { TZ: 'Pacific/Chatham' } });

describe('A payout wallet that is replaced on 20 January 2028, in the middle of a month that is paid', () => {
  it.concurrent.each(['has approved the open operator', 'has signed a mandate'])(
    'gets the charge of 5 February if the payer %s; earlier payments stay where they went',
    async (consent) => {
      const { merchant, ada, club } = await subscribed(stage(), '2028-01-05');
      const isSigned = consent === 'has signed a mandate';
      if (isSigned) expect(await ada.sign(club.link)).toBe(200);
      await ada.approve('100.00');
      await club.expectStatus('active', { paid: 1 });
      await club.advanceTo('2028-01-20');
      const newWallet = await merchant.replacePayoutWallet();
      if (isSigned) await untilAnnounced(newWallet);

      await club.advanceTo('2028-02-05');
      await club.expectStatus('active', { paid: 2 });
      for (const wallet of [merchant.payoutWallet, newWallet]) {
        expect(await merchant.stage.chain.movedTo(wallet)).toEqual([units('9.90')]);
      }
      expect((await club.payments()).map(({ toWallet }) => toWallet)).toEqual([merchant.payoutWallet, newWallet]);
      await merchant.expectEvents(TOKEN_KEY, ['wallet.updated', 'wallet.updated']);
      await club.expectEvents([...FIRST_CHARGE, 'payment.succeeded']);
      await ada.expectPaid(['10.00', '10.00']);
    },
  );

  async function untilAnnounced(payee: string): Promise<void> {
    const { records } = await stage().store();
    const announced = () => records.find('announcements', { where: { payee }, limit: 10 });
    const docs = await until('the router has announced it', announced, ([doc]) => doc?.state === 'announced');
    expect(docs).toHaveLength(1);
  }
});

describe('An agreement that its payer revokes on the router on 20 January 2028', () => {
  it.concurrent('charges nothing more, says why, and continues when the payer signs again', async () => {
    const { merchant, ada, club } = await subscribed(stage(), '2028-01-05');
    await ada.sign(club.link);
    await ada.approve('100.00');
    await club.expectStatus('active', { paid: 1 });
    await club.advanceTo('2028-01-20');
    const { records } = await stage().store();
    const mandates = () =>
      records.find('mandates', { where: { payer: ada.address }, sort: [['issuedAt', 1]], limit: 3 });
    const [first] = await mandates();
    if (!first?.router) throw new Error('no mandate on a router');
    const data = routerInterface.encodeFunctionData('revoke', [merchantSalt(merchant.id, 'test'), first.agreement]);
    await stage().chain.send(ada.wallet, { to: first.router, data });
    await until(
      'it is noted',
      () => club.view(),
      ({ allowanceConfirmed }) => !allowanceConfirmed,
    );
    const page = await (await fetch(apiOfLink(club.link))).json();
    expect(page).toMatchObject({ isSigned: false, outcome: { waitsFor: 'signature' } });

    await club.advanceTo('2028-02-05');
    await club.expectStatus('past_due', { paid: 1, failures: 1, because: 'insufficient_allowance' });
    const where = { 'mandate.id': first._id, state: 'refused' } as const;
    const [refused, ...others] = await records.find('charges', { where, limit: 10 });
    expect([refused, others]).toMatchObject([{ refusal: { kind: 'revoked' }, txHash: null }, []]);
    await ada.expectPaid(['10.00']);

    expect(await ada.sign(club.link)).toBe(200);
    await club.expectStatus('active', { paid: 2 });
    expect((await mandates())[1]?.agreement).not.toBe(first.agreement);
    await ada.expectPaid(['10.00', '10.00']);
  });
});

endsWithSoundBooks(stage);
