import { ALICE, BOB, SOL_ALICE } from '../../support/bodies.ts';
import { expectError, idOf, type Reply, useHttp, useMerchant } from '../../support/http.ts';

const http = useHttp();
const merchant = useMerchant(http);

function create(body: unknown, key?: string): Promise<Reply> {
  return merchant.call('POST', '/customers', body, key);
}

const EVM = { chainFamily: 'evm', address: ALICE };
const SOLANA = { chainFamily: 'solana', address: SOL_ALICE };

describe('POST /customers 201', () => {
  it('accepts an empty object, or no body', async () => {
    const reply = await create({});
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: idOf(reply),
      wallets: [],
      merchantReferenceId: null,
      email: null,
      phone: null,
      ...{ timeZone: null, address: null, country: null, taxId: null },
      name: null,
      merchantId: merchant.id,
      isSandbox: true,
      idempotencyKey: null,
      createdAt: http.now.toISOString(),
      updatedAt: http.now.toISOString(),
    });
    expect((await create(undefined)).status).toBe(201);
  });

  it('keeps every field, and EVM addresses checksummed', async () => {
    const sent = { merchantReferenceId: 'user-7', email: 'a@example.com', phone: '+49 30 1', name: 'Ada' };
    const reply = await create({ ...sent, wallets: [{ ...EVM, address: ALICE.toLowerCase() }, SOLANA] });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ ...sent, wallets: [EVM, SOLANA] });
  });
});

describe('POST /customers 400', () => {
  it.each([
    ['an unknown family', { wallets: [{ chainFamily: 'btc', address: 'x' }] }, 'wallets[0].chainFamily must be one of'],
    ['a wallet without address', { wallets: [{ chainFamily: 'evm' }] }, 'wallets[0].address is required'],
    ['no EVM address', { wallets: [{ chainFamily: 'evm', address: SOL_ALICE }] }, 'wallets[0].address must be an EVM'],
    [
      'no Solana address',
      { wallets: [{ chainFamily: 'solana', address: ALICE }] },
      'wallets[0].address must be a Solana',
    ],
    ['two of a family', { wallets: [EVM, { ...EVM, address: BOB }] }, 'wallets[1].chainFamily repeats evm'],
    ['an e-mail that is none', { email: 'nobody' }, 'email must be an e-mail address'],
    ['a key that is too long', { idempotencyKey: 'k'.repeat(256) }, 'idempotencyKey must be 1 to 255 characters long'],
  ])('refuses %s', async (_what, body, message) => {
    expectError(await create(body), 400, expect.stringContaining(message));
  });
});

describe('POST /customers 409', () => {
  it('refuses a wallet of another customer, in upper or lower case', async () => {
    await create({ wallets: [EVM] });
    const reply = await create({ wallets: [SOLANA, { ...EVM, address: ALICE.toLowerCase() }] });
    expectError(reply, 409, 'A customer with this wallet address already exists');
  });
});
