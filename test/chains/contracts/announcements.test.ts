import { mandateHash } from '../../../src/chains/evm/contracts/mandates.ts';
import {
  decodeAnnouncementOf,
  deployRouterData,
  encodeAnnouncementOf,
  mandateOperatorAddress,
  merchantSalt,
  routerInterface,
} from '../../../src/chains/evm/contracts/router.ts';
import { freshAddress } from '../evm/world.ts';
import { CHAIN_ID, DAY, PayerWithMandate, withAllFields } from './payer-with-mandate.ts';
import { useRouter } from './world.ts';

const world = useRouter();

const DELAY = 2 * DAY;
const LAPSE = 90 * DAY;
const MERCHANT = merchantSalt('m1', 'test');

/** A router of its own, with a payee that its first sender announces, and a payer whose mandate does not name it. */
async function announced(first = MERCHANT) {
  const router = await world.deploy(deployRouterData(world.owner, [world.sender, world.otherSender], DELAY));
  const payer = await PayerWithMandate.create(world);
  await world.approveOperator(payer.address, mandateOperatorAddress(router, 'm1', 'test'), 1_000_000n);
  const mandate = payer.mandate({ interval: 0, charges: 0 });
  const payee = freshAddress();
  const send = async (from: string, name: string, args: readonly unknown[] = []) => {
    const { reason } = await world.send(from, router, routerInterface.encodeFunctionData(name, args));
    return reason?.kind ?? null;
  };
  const known = async () =>
    decodeAnnouncementOf((await world.call(world.owner, router, encodeAnnouncementOf(MERCHANT, payee))).data);
  const from = async () => (await known())?.from ?? 0;
  const signature = payer.wallet.signingKey.sign(mandateHash(CHAIN_ID, router, mandate)).serialized;
  const charge = (cycle: number, amount = 1_000n) => {
    const shares = { to: [payee, payer.payee], amounts: [amount, 1_000n - amount] };
    return send(world.otherSender, 'chargeMandate', [withAllFields({ mandate, signature, cycle, ...shares })]);
  };
  const announce = (merchant = MERCHANT) => send(world.sender, 'announcePayee', [merchant, payee]);
  expect(await announce(first)).toBeNull();
  return { payee, send, known, from, charge, announce };
}

/** A block of exactly this time. */
async function blockAt(moment: number): Promise<void> {
  await world.at(moment);
  await world.rpc('evm_mine', []);
}

describe('an announced payee', () => {
  it('is paid once the delay is over, which no second announcement begins anew, until it is withdrawn', async () => {
    const { payee, send, from, charge, announce } = await announced(merchantSalt('m2', 'test'));
    expect(await from()).toBe(0);
    expect(await send(freshAddress(), 'announcePayee', [MERCHANT, payee])).toBe('not_sender');
    expect(await announce()).toBeNull();
    const matures = await from();
    await world.at(matures - 1);
    expect(await charge(1)).toBe('not_payee');
    await announce();
    await world.at(matures + 1);
    expect(await charge(1)).toBeNull();
    expect(await send(world.sender, 'withdrawPayee', [MERCHANT, payee])).toBe('not_guardian');
    expect(await send(world.owner, 'withdrawPayee', [MERCHANT, payee])).toBeNull();
    expect(await charge(2)).toBe('not_payee');
  });
});

describe('an announcement that no charge has used', () => {
  it('lapses 90 days after its delay, to the second, and can be made again with a new delay', async () => {
    const { known, from, charge, announce } = await announced();
    const matures = await from();
    await blockAt(matures + LAPSE);
    expect(await known()).toEqual({ from: matures, until: matures + LAPSE });
    await blockAt(matures + LAPSE + 1);
    expect(await from()).toBe(0);
    expect(await charge(1)).toBe('not_payee');
    await world.at(matures + LAPSE + 10);
    expect(await announce()).toBeNull();
    expect(await from()).toBe(matures + LAPSE + 10 + DELAY);
    await world.at(matures + LAPSE + 10 + DELAY);
    expect(await charge(1)).toBeNull();
  });

  it('is not used by a share without an amount', async () => {
    const { from, charge } = await announced();
    const matures = await from();
    await world.at(matures);
    expect(await charge(1, 0n)).toBeNull();
    await blockAt(matures + LAPSE + 1);
    expect(await from()).toBe(0);
  });

  it('is dropped with its sender, and stays dropped when the sender is added again', async () => {
    const { from, charge, send } = await announced();
    const matures = await from();
    expect(await send(world.owner, 'removeSender', [world.sender])).toBeNull();
    expect(await from()).toBe(0);
    expect(await send(world.owner, 'addSender', [world.sender])).toBeNull();
    expect(await from()).toBe(0);
    await world.at(matures);
    expect(await charge(1)).toBe('not_payee');
  });

  it.each([
    ['the owner', 'owner'],
    ['another sender', 'otherSender'],
  ] as const)('stays when its sender is removed if %s has confirmed it, with its old delay', async (_, who) => {
    const { from, charge, send, payee } = await announced();
    const matures = await from();
    expect(await send(world[who], 'confirmPayee', [MERCHANT, payee])).toBeNull();
    expect(await send(world.owner, 'removeSender', [world.sender])).toBeNull();
    expect(await from()).toBe(matures);
    await world.at(matures - 1);
    expect(await charge(1)).toBe('not_payee');
    await world.at(matures);
    expect(await charge(1)).toBeNull();
  });

  it('is confirmed by nobody else, and not if it does not exist', async () => {
    const { send, payee } = await announced();
    expect(await send(freshAddress(), 'confirmPayee', [MERCHANT, payee])).toBe('not_sender');
    expect(await send(world.owner, 'confirmPayee', [MERCHANT, freshAddress()])).toBe('not_announced');
  });

  it('waits as long as without a pause: the time of pauses does not count', async () => {
    const { from, charge, send } = await announced();
    const matures = await from();
    await world.at(matures - 100);
    await send(world.owner, 'pause');
    await blockAt(matures + 5_000);
    expect(await from()).toBe(matures + 5_100);
    await world.at(matures + 9_900);
    await send(world.owner, 'unpause');
    expect(await from()).toBe(matures + 10_000);
    await world.at(matures + 9_999);
    expect(await charge(1)).toBe('not_payee');
    await world.at(matures + 10_000);
    expect(await charge(1)).toBeNull();
  });
});

describe('an announcement that a charge has used', () => {
  it('holds for good, without its sender too, until it is withdrawn', async () => {
    const { known, from, charge, send, payee } = await announced();
    const matures = await from();
    await world.at(matures);
    expect(await charge(1)).toBeNull();
    expect(await known()).toEqual({ from: matures, until: null });
    expect(await send(world.owner, 'removeSender', [world.sender])).toBeNull();
    await world.at(matures + 2 * LAPSE);
    expect(await charge(2)).toBeNull();
    expect(await send(world.owner, 'withdrawPayee', [MERCHANT, payee])).toBeNull();
    expect(await charge(3)).toBe('not_payee');
  });
});
