import { isBroadcast, refuseAbove } from '../support/proxy.ts';
import { expectOnlyNewestRefuses } from '../support/stale-half.ts';
import { useSolana } from './bench.ts';

/** Tests for Solana only; `test/chains/contract/suite.ts` has those for every chain. */
const { world, bench } = useSolana();

async function twoNodes() {
  const [first, second] = [await bench.proxy(), await bench.proxy()];
  return { first, rpcUrl: [first.url, second.url] as const, charge: await bench.newCharge() };
}

describe('of two Solana nodes', () => {
  it('one of another chain gets nothing', async () => {
    const { first, rpcUrl, charge } = await twoNodes();
    first.answer('getGenesisHash', { result: '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY' });
    const chain = await bench.start({ rpcUrl });
    await bench.settle(charge);
    await bench.expectPulledOnce(charge);
    expect(first.seen.some(isBroadcast)).toBe(false);
    expect((await chain.health()).trouble).toContain(`the node at ${new URL(first.url).host} is of the chain 4uhc`);
  });

  it('one that does not know a charge does not let it expire, and it is not signed again', async () => {
    const { first, rpcUrl, charge } = await twoNodes();
    // It knows no transaction, but follows the chain.
    first.rewriteOne = (answer, { method, params: [asked] }) => {
      if (method === 'getSignaturesForAddress') return { ...answer, result: [] };
      if (method !== 'getSignatureStatuses') return answer;
      const value = Array.isArray(asked) ? asked.map(() => null) : [];
      return { ...answer, result: { ...Object(answer.result), value } };
    };
    await bench.start({ rpcUrl });
    await bench.charge(charge);
    await bench.untilState([charge], 'final', 'sent');
    await bench.until('it has landed', async () => (await world.pulls(charge.from)).length > 0);
    world.letExpire();
    // If the first node is too slow to answer, the second one is asked, and shows the charge.
    await Promise.race([bench.untilAskedAgain(charge, 4), bench.untilState([charge], 'final')]);
    expect(bench.listener.kinds(charge)).not.toContain('released');
    first.heal();
    await bench.untilState([charge], 'final');
    expect(await bench.transactionsOf(charge)).toHaveLength(1);
    await bench.expectPulledOnce(charge);
  });

  it('the other is asked for a transaction that the first lists but does not show', async () => {
    const { first, rpcUrl } = await twoNodes();
    const { charge, made } = await bench.madeElsewhere();
    first.answer('getTransaction', { result: null });
    await bench.start({ rpcUrl });
    await bench.settle(charge);
    expect((await bench.read(charge)).txHash).toBe(made.txHash);
    await bench.expectPulledOnce(charge);
  });
});

it('an account, status or fee in an unknown form hides no other, and health shows it', async () => {
  const node = await bench.proxy();
  const charges = await Promise.all([1, 2, 3].map(() => bench.newCharge()));
  const [one] = charges.map(({ from }) => world.user.accountOf(from).toBase58());
  let hidden: unknown;
  node.rewriteOne = (answer, { method, params: [asked] }) => {
    if (method === 'getRecentPrioritizationFees')
      return { ...answer, result: [{}, { prioritizationFee: -1 }, { prioritizationFee: 7 }] };
    if (method === 'getSignatureStatuses' && Array.isArray(asked)) hidden ??= asked[0];
    else if (method !== 'getMultipleAccounts') return answer;
    const { context, value } = Object(answer.result);
    const isHidden = (at: number) => Array.isArray(asked) && (asked[at] === hidden || asked[at] === one);
    const change = (item: unknown, at: number) => (isHidden(at) ? { ...Object(item), slot: 0.5, lamports: 0.5 } : item);
    return { ...answer, result: { context, value: value.map(change) } };
  };
  const chain = await bench.start({ rpcUrl: node.url });
  await bench.charge(...charges);
  await bench.until('one is final', async () => (await bench.statesOf(charges)).includes('final'));
  expect(await bench.statesOf(charges)).toEqual(['final', 'sent', 'waiting']);
  for (const what of ['accounts', 'fees', 'statuses']) await bench.untilTrouble(chain, `${what} in a form that cannot`);
  const [transaction] = await bench.transactions();
  const bytes = Buffer.from(transaction?.versions[0]?.raw ?? '', 'base64');
  expect(bytes.includes(Buffer.from('030700000000000000', 'hex'))).toBe(true);
  node.heal();
  await bench.untilState(charges, 'final');
  await bench.expectPulledOnce(...charges);
});

it('of several nodes at one address, those before an approval refuse nothing', () =>
  expectOnlyNewestRefuses(bench, (pool, slot, isFrozen) => {
    const context = { slot };
    const err = { InstructionError: [3, { Custom: 1 }] };
    pool.rewriteOne = (answer, call) => {
      const [asked] = call.params;
      if (!isFrozen(call)) return answer;
      if (call.method === 'getSlot') return { ...answer, result: slot };
      if (call.method === 'simulateTransaction') return { ...answer, result: { context, value: { err } } };
      if (call.method !== 'getMultipleAccounts' || !Array.isArray(asked)) return answer;
      return { ...answer, result: { context, value: asked.map(() => null) } };
    };
  }));

describe('a provider that gives few accounts or statuses in a call', () => {
  it.each(['getMultipleAccounts', 'getSignatureStatuses'])(
    'still lets charges settle, and its number is remembered (%s)',
    async (method) => {
      const proxy = await bench.proxy();
      const refused = refuseAbove(proxy, { method, most: 1, message: 'Too many inputs provided; max 1' });
      const chain = bench.chain({ rpcUrl: proxy.url });
      const first = await bench.newCharges(3);
      await bench.charge(...first);
      await chain.start();
      await bench.untilState(first, 'final');
      expect(refused.count).toBeGreaterThan(0);
      const known = refused.count;
      const second = await bench.newCharges(3);
      await bench.settle(...second);
      await bench.expectPulledOnce(...first, ...second);
      expect(refused.count).toBe(known);
      expect((await chain.health()).trouble).toBeNull();
    },
  );
});
