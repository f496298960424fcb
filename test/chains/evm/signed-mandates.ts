import { concat, Wallet, zeroPadValue } from 'ethers';
import { mandateHash } from '../../../src/chains/evm/contracts/mandates.ts';
import { mandateOperatorAddress, merchantSalt } from '../../../src/chains/evm/contracts/router.ts';
import { withAmounts } from '../../../src/chains/mandate-rules.ts';
import type { MandateDoc } from '../../../src/store/collections.ts';
import type { RecordStore } from '../../../src/store/port.ts';
import { burningCode, TELLS } from '../../../stage/stories/siege/burning-wallet.ts';
import { testArtifacts } from '../contracts/test-artifacts.ts';
import { unsignedMandate } from '../support/mandates.ts';
import { type Grant, MILLION, newKey } from '../support/world.ts';
import { type EvmWorld, UNLIMITED } from './world.ts';

const MERCHANT_ID = 'mrc_a';

/** A payer who has approved the merchant's mandate operator, and signs mandates. */
export interface MandatePayer {
  readonly wallet: Pick<Wallet, 'signingKey' | 'signTypedData' | 'address'>;
  readonly address: string;
  readonly agreement: string;
}

/** A new payer with tokens. The allowance of the mandate operator has no limit by default. */
export async function mandatePayer(world: EvmWorld, grant: Grant = {}): Promise<MandatePayer> {
  const wallet = Wallet.createRandom();
  const payer = { wallet, address: wallet.address, agreement: newKey() };
  await world.mint(wallet.address, grant.balance ?? MILLION);
  await approveMandates(world, payer.address, grant.allowance ?? UNLIMITED);
  return payer;
}

/** As `mandatePayer`, a wallet that is a contract. The key of `wallet` signs for it (EIP-1271). */
export async function contractPayer(world: EvmWorld): Promise<MandatePayer> {
  const owner = await mandatePayer(world);
  const { bytecode } = (await testArtifacts()).ContractWallet;
  const address = await world.deploy(concat([bytecode, zeroPadValue(owner.address, 32)]));
  const payer = { ...owner, address };
  await world.mint(address, MILLION);
  await approveMandates(world, payer.address, UNLIMITED);
  return payer;
}

/** As `contractPayer`, a hostile wallet: it agrees in simulations, and burns all gas in transactions if `burns`. */
export async function burningPayer(world: EvmWorld, { burns = true } = {}): Promise<MandatePayer> {
  const payer = { ...(await mandatePayer(world)), address: Wallet.createRandom().address };
  await world.mint(payer.address, MILLION);
  await approveMandates(world, payer.address, UNLIMITED);
  await world.rpc('anvil_setCode', [payer.address, burningCode(burns ? TELLS.price : TELLS.always)]);
  return payer;
}

/** From now on the hostile wallet burns all gas in transactions. */
export async function burn(world: EvmWorld, { address }: Pick<MandatePayer, 'address'>): Promise<void> {
  await world.rpc('anvil_setCode', [address, burningCode(TELLS.price)]);
}

function approveMandates(world: EvmWorld, wallet: string, amount: bigint): Promise<void> {
  return world.approveOperator(wallet, mandateOperatorAddress(world.router, MERCHANT_ID, 'test'), amount);
}

/** A signed and stored mandate, as `mandateBy`. */
export async function signedMandate(
  world: EvmWorld,
  records: RecordStore,
  payer: MandatePayer,
  change: Partial<MandateDoc> = {},
): Promise<MandateDoc> {
  const doc = mandateBy(world, payer, change);
  await records.insert('mandates', [doc]);
  return doc;
}

/** A signed mandate: 10 tokens a day until it is revoked, 1 percent of it for the platform. */
export function mandateBy(world: EvmWorld, payer: MandatePayer, change: Partial<MandateDoc> = {}): MandateDoc {
  const { chainId, router } = world;
  const { agreement, address } = payer;
  const terms = unsignedMandate(world, { merchantId: MERCHANT_ID, router, payer: address, agreement, ...change });
  const mandate = { ...withAmounts(terms), merchant: merchantSalt(MERCHANT_ID, 'test') };
  const _id = mandateHash(chainId, router, mandate);
  return { ...terms, _id, signature: payer.wallet.signingKey.sign(_id).serialized, ...change };
}
