import { mandateIdOf } from '../../../src/chains/mandates.ts';
import type { MandateDoc } from '../../../src/store/collections.ts';
import type { Store } from '../../../src/store/port.ts';
import { keyUnder } from '../../../stage/ledger.ts';
import type { SimulatedCharge, SimulatedTransfer } from '../simulated-chain.ts';
import type { Story } from '../story.ts';

/** More than the cycles of any run. */
const CYCLES = 60;

/** Charges that a payer has not consented to, by the chains' own records and what its wallet has signed. */
export async function consentViolations(store: Store, stories: readonly Story[]): Promise<string[]> {
  const all: string[] = [];
  for (const story of stories) all.push(...(await violationsIn(store, story)));
  return all;
}

/** All mandates of one agreement that a payer has signed. */
interface Agreement {
  readonly payer: string;
  readonly mandates: MandateDoc[];
  charges: number;
}

/** How many charges on the chains are under a mandate. */
export async function chargesUnderMandates(store: Store, stories: readonly Story[]): Promise<number> {
  let total = 0;
  for (const { shop, page } of stories) {
    const { agreements } = agreementsOf(await signedIn(store, page));
    const keys = keysOf(agreements);
    const chains = new Set(shop.tills.map(({ chain }) => chain));
    for (const chain of chains) total += chain.charges().filter(({ key }) => keys.has(key)).length;
  }
  return total;
}

function signedIn({ records }: Store, page: Story['page']): Promise<MandateDoc[]> {
  return records.get('mandates', [...new Set(page.signed.map(({ id }) => id))]);
}

function keysOf(agreements: ReadonlyMap<string, Agreement>): ReadonlyMap<string, Agreement> {
  return new Map(
    [...agreements].flatMap(([agreement, signed]) =>
      Array.from({ length: CYCLES }, (_, index) => [keyUnder(agreement, index + 1), signed] as const),
    ),
  );
}

async function violationsIn(store: Store, { shop, payers, page, newPayouts }: Story): Promise<string[]> {
  const { agreements, wrong } = agreementsOf(await signedIn(store, page));
  const signers = new Map(page.signed.map(({ id, payer }) => [id, payer]));
  for (const { payer, mandates } of agreements.values()) {
    for (const { _id } of mandates) {
      if (signers.get(_id) !== payer) wrong.push(`mandate ${_id} is of ${payer}, but ${signers.get(_id)} signed it`);
    }
  }
  const keys = keysOf(agreements);
  const announced = new Set(newPayouts.map(({ wallet }) => wallet));
  const chains = new Set(shop.tills.map(({ chain }) => chain));
  for (const chain of chains) {
    const transfers = chain.transfers();
    for (const payer of payers.filter(({ till }) => till.chain === chain)) {
      const charges = chain.charges().filter((charge) => charge.payer === payer.wallet);
      for (const charge of charges) {
        const agreement = keys.get(charge.key);
        const beside = charges.filter(({ txHash }) => txHash === charge.txHash);
        const sent = transfers.filter(({ txHash, from }) => txHash === charge.txHash && from === payer.wallet);
        if (agreement !== undefined) {
          const recipients = new Set([...announced, ...payeesOf(beside.flatMap(({ key }) => keys.get(key) ?? []))]);
          const open = beside.filter(({ key }) => !keys.has(key));
          wrong.push(...beyond(agreement, charge, withoutOpen(sent, open, recipients), recipients));
        } else if (payer.signs) wrong.push(`${payer.wallet} signs, but ${charge.gross} were charged without a mandate`);
      }
    }
  }
  for (const { payer, mandates, charges } of agreements.values()) {
    const limits = mandates.map((mandate) => mandate.charges);
    const most = limits.includes(0) ? Number.POSITIVE_INFINITY : limits.reduce((sum, limit) => sum + limit, 0);
    if (charges > most) wrong.push(`${payer} signed ${most} charges, but ${charges} were made`);
  }
  return wrong;
}

function agreementsOf(mandates: readonly MandateDoc[]): { agreements: Map<string, Agreement>; wrong: string[] } {
  const agreements = new Map<string, Agreement>();
  const wrong: string[] = [];
  for (const mandate of mandates) {
    const { _id, agreement, payer } = mandate;
    if (mandateIdOf(mandate) !== _id) wrong.push(`mandate ${_id} is stored with other terms than were signed`);
    const before = agreements.get(agreement) ?? { payer, mandates: [], charges: 0 };
    if (before.payer !== payer) wrong.push(`${before.payer} and ${payer} have the same agreement ${agreement}`);
    before.mandates.push(mandate);
    agreements.set(agreement, before);
  }
  return { agreements, wrong };
}

/** A transaction may charge a payer under several agreements, so it pays the recipients of all of them. */
function payeesOf(agreements: readonly Agreement[]): string[] {
  return agreements.flatMap(({ mandates }) => mandates.flatMap(({ payees, platform }) => [...payees, platform]));
}

/** Without those of open charges in the same transaction, each one transfer of its amount to a router. */
function withoutOpen(
  sent: readonly SimulatedTransfer[],
  open: readonly SimulatedCharge[],
  recipients: ReadonlySet<string>,
): SimulatedTransfer[] {
  const left = [...sent];
  for (const { gross } of open) {
    const at = left.findIndex(({ to, amount }) => amount === gross && !recipients.has(to));
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

/** Why a charge is more than its payer has signed. Counts it. */
function beyond(
  agreement: Agreement,
  charge: SimulatedCharge,
  sent: readonly SimulatedTransfer[],
  recipients: ReadonlySet<string>,
): string[] {
  const { payer, mandates } = agreement;
  agreement.charges += 1;
  const wrong: string[] = [];
  if (payer !== charge.payer) wrong.push(`${charge.payer} was charged under a mandate of ${payer}`);
  const most = mandates.reduce((max, { perCharge }) => (BigInt(perCharge) > max ? BigInt(perCharge) : max), 0n);
  if (charge.gross > most) wrong.push(`${payer} signed ${most} a charge, but ${charge.gross} were charged`);
  for (const { to, amount } of sent) {
    if (!recipients.has(to))
      wrong.push(`${amount} of ${payer} went to ${to}, which it has not signed and the merchant has not announced`);
  }
  if (sent.length === 0) wrong.push(`${payer} was charged in ${charge.txHash} without a transfer`);
  return wrong;
}
