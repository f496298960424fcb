import { scriptedChain } from '../../stage/scripted-chain.ts';
import { paymentBody } from '../support/bodies.ts';
import { answerAtDeadline, type HttpHarness, idOf, startHttp } from '../support/http.ts';

const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const chain = { ...scriptedChain(), enabled: true };
let http: HttpHarness;
let key: string;

beforeAll(async () => {
  http = await startHttp({ chains: [chain] });
  key = (await http.merchant()).testKey;
});

it.each([
  ['an amount of zero', { amount: '0' }],
  ['a token that there is not', { tokenKey: 'usdc-nowhere' }],
  ['the payer as the payee', { toWallet: PAYER }],
  ['another method', { paymentMethod: 'wallet_transfer', fromWallet: undefined }],
])('answers a replay with the original, whatever its body: %s', async (name, other) => {
  const idempotencyKey = `order ${name}`;
  const first = await create({ idempotencyKey });
  expect(first.status).toBe(201);
  const again = await create({ idempotencyKey, ...other });
  expect([again.status, idOf(again)]).toEqual([200, idOf(first)]);
  expect(again.headers.get('Idempotency-Mismatch')).toBe('true');
});

it('answers a replay with the original even if its chain takes no more charges', async () => {
  const first = await create({ idempotencyKey: 'order before' });
  chain.enabled = false;
  const again = await create({ idempotencyKey: 'order before' });
  const other = await create({ idempotencyKey: 'order after' });
  chain.enabled = true;
  expect([again.status, idOf(again)]).toEqual([200, idOf(first)]);
  expect(again.headers.get('Idempotency-Mismatch')).toBeNull();
  expect(other.status).toBe(400);
});

function create(fields: object) {
  const body = paymentBody({ fromWallet: PAYER, ...fields });
  return answerAtDeadline(http, http.call('POST', '/payments', { key, body }));
}
