import { cancelSubscription } from '../../src/billing/subscriptions/subscriptions.ts';
import type { ChargeDoc } from '../../src/store/collections.ts';
import { until } from '../../stage/until.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.end());

it('reports that a started charge has settled, although the merchant has canceled meanwhile', async () => {
  const answer = stage.charge();
  const { paymentId } = await asked();
  const [{ engine, deps } = {}] = stage.processes;
  const event = { type: 'charge.started', attempt: 1, round: 0, toWallet: null } as const;
  await engine?.dispatch({ kind: 'payment', id: paymentId, event, by: 'test' });
  if (deps) await cancelSubscription(deps, stage.tenant, stage.id, { atPeriodEnd: false }, 'api');
  stage.begin();
  expect(await answer).toEqual({ outcome: 'settled', paymentId, reason: null });
});

/** Its charge, as soon as it waits for a sender. */
async function asked(): Promise<ChargeDoc> {
  const waiting = () => stage.http.store.records.find('charges', { where: { state: 'waiting' }, limit: 1 });
  const [charge] = await until('its charge waits', waiting, ({ length }) => length > 0);
  if (!charge) throw new Error('no charge waits');
  return charge;
}
