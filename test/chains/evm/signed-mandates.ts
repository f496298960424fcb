import { concat, getCreateAddress, hexlify, id, randomBytes, Wallet, zeroPadValue } from 'ethers';
import { mandateHash } from '../../../src/chains/evm/contracts/mandates.ts';
import { mandateOperatorAddress, merchantSalt } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { mandateKey } from '../../../src/chains/mandate-reader.ts';
import type { ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import type { RecordStore } from '../../../src/store/port.ts';
import { testArtifacts } from '../contracts/test-artifacts.ts';
import { type ChargeWish, MERCHANT, PLATFORM, UNLIMITED, type World, waitingCharge } from './world.ts';

const DAY = 86_400;

/** A payer who has approved the mandate operator of a merchant, and signs mandates. */
export interface MandatePayer {
  readonly wallet: Wallet;
  readonly address: string;
  readonly merchantId: string;
  readonly agreement: string;
}

/** A new payer with tokens. The allowance of the mandate operator has no limit by default. */
export async function mandatePayer(world: World, grant: { balance?: bigint; allowance?: bigint } = {}) {
  const wallet = new Wallet(hexlify(randomBytes(32)));
  const payer = { wallet, address: wallet.address, merchantId: 'mrc_a', agreement: hexlify(randomBytes(32)) };
  await world.anvil.provider.send('anvil_setBalance', [wallet.address, '0x21e19e0c9bab2400000']);
  await world.mint(wallet.address, grant.balance ?? 1_000_000_000_000n);
  await approveMandates(world, payer, grant.allowance ?? UNLIMITED);
  return payer;
}

/** As `mandatePayer`, a wallet that is a contract. The key of `wallet` signs for it (EIP-1271). */
export async function contractPayer(world: World): Promise<MandatePayer> {
  const owner = await mandatePayer(world);
  const { bytecode } = (await testArtifacts()).ContractWallet;
  const nonce = await world.anvil.provider.getTransactionCount(owner.address);
  await world.act(owner.address, null, concat([bytecode, zeroPadValue(owner.address, 32)]));
  const payer = { ...owner, address: getCreateAddress({ from: owner.address, nonce }) };
  await world.anvil.provider.send('anvil_setBalance', [payer.address, '0x21e19e0c9bab2400000']);
  await world.mint(payer.address, 1_000_000_000_000n);
  await approveMandates(world, payer, UNLIMITED);
  return payer;
}

export async function approveMandates(
  world: World,
  { address, merchantId }: Pick<MandatePayer, 'address' | 'merchantId'>,
  amount: bigint,
): Promise<void> {
  const operator = mandateOperatorAddress(world.router, merchantId, 'test');
  await world.act(address, world.usdc, testTokenInterface.encodeFunctionData('approve', [operator, amount]));
}

/** A signed and stored mandate, as `mandateBy`. */
export async function signedMandate(
  world: World,
  records: RecordStore,
  payer: MandatePayer,
  change: Partial<MandateDoc> = {},
): Promise<MandateDoc> {
  const doc = mandateBy(world, payer, change);
  await records.insert('mandates', [doc]);
  return doc;
}

/** A signed mandate: 10 tokens a day until it is revoked, 1 percent of it for the platform. */
export function mandateBy(world: World, payer: MandatePayer, change: Partial<MandateDoc> = {}): MandateDoc {
  const { merchantId, agreement, address } = payer;
  const terms: Omit<MandateDoc, '_id' | 'signature'> = {
    merchantId,
    mode: 'test',
    chainId: world.chainId,
    router: world.router,
    payer: address,
    token: world.usdc,
    perCharge: '10000000',
    charges: 0,
    interval: DAY,
    start: 0,
    end: 0,
    issuedAt: 1,
    platform: PLATFORM,
    feeBps: 100,
    payees: [MERCHANT],
    agreement,
    terms: id('the terms'),
    message: 'the terms',
    createdAt: new Date(),
    ...change,
  };
  const mandate = { ...terms, merchant: merchantSalt(merchantId, 'test'), perCharge: BigInt(terms.perCharge) };
  const _id = mandateHash(world.chainId, world.router, mandate);
  return { ...terms, _id, signature: payer.wallet.signingKey.sign(_id).serialized, ...change };
}

/** A waiting charge of one cycle under a mandate. */
export function mandateCharge(
  world: Pick<World, 'chainId' | 'usdc'>,
  { _id, agreement, payer, merchantId }: MandateDoc,
  cycle = 1,
  wish: Partial<ChargeWish> = {},
): ChargeDoc {
  const key = mandateKey(agreement, cycle);
  return { ...waitingCharge(world, { from: payer, merchantId, key, ...wish }), mandate: { id: _id, cycle } };
}
