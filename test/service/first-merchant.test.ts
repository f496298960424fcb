import { createMerchants, type MerchantsDeps } from '../../src/billing/administration/merchants.ts';
import { createMembers } from '../../src/billing/members/members.ts';
import { firstMerchant } from '../../src/service/first-merchant.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';

/** Starts on one data folder, one after another. */
function starts() {
  const { records } = openMemoryStore();
  const clock = () => new Date();
  const members = createMembers({ records, clock });
  const start = (onCreated: MerchantsDeps['onCreated'] = async () => undefined) =>
    firstMerchant(records, createMerchants({ records, clock, feeBps: 100, onCreated }), members);
  return { start, members };
}

describe('the first merchant of a data folder', () => {
  it('is made at the first start, and at no later one', async () => {
    const { start } = starts();
    expect(await start()).toMatchObject({ merchant: { name: 'First merchant' } });
    expect(await start()).toBeNull();
  });

  it('comes with a link that signs its admin in once', async () => {
    const { start, members } = starts();
    const first = await start();
    const token = first?.invitation ?? '';
    const { secret } = await members.openInvitation(token);
    const session = await members.session(secret);
    expect(session?.member).toMatchObject({ merchantId: first?.merchant._id, role: 'admin' });
    await expect(members.openInvitation(token)).rejects.toThrow();
  });

  it('is made at the next start if this one fails during it, because nobody has seen its keys', async () => {
    const { start } = starts();
    const failing = start(async () => {
      throw new Error('the local chain does not answer');
    });
    await expect(failing).rejects.toThrow('the local chain does not answer');
    expect(await start()).toMatchObject({ merchant: { name: 'First merchant' } });
    expect(await start()).toBeNull();
  });
});
