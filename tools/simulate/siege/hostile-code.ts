/** When hostile code does harm: what it can tell a simulation from a transaction by. */
const WHEN = {
  /** Somebody pays for the gas. */
  priced: '3a1515',
  /** A sender of the router has sent it, and not the checkout. */
  sent: '321515',
  /** The block has an odd number, unlike the one of the simulation. */
  odd: '60014316',
  /** By the gas that is left. */
  gas: '60105a1660041c',
} as const;
export type When = keyof typeof WHEN;
export const WHENS = ['priced', 'sent', 'odd', 'gas'] as const satisfies readonly When[];

/** By the number of calls, which only code that may write can count: two of three. */
const CALLS = '61ffff546001018061ffff55600390061515';

const HARM = {
  /** All gas that it gets, at once. */
  burns: 'fe',
  reverts: '5f5ffd',
  refuses: '5f5f5260205ff3',
  /** Takes one base unit of each transfer. */
  skims: '365f5f37 600160443503604452 @pass jump',
} as const;
export type Harm = keyof typeof HARM;
export const HARMS = ['burns', 'reverts', 'refuses', 'skims'] as const satisfies readonly Harm[];

/** A contract wallet (EIP-1271) that confirms every signature, and at its moment burns the gas that it gets. */
export function hostileWallet(when: When): string {
  const confirms = '7f1626ba7e000000000000000000000000000000000000000000000000000000005f5260205ff3';
  return assembled(`${WHEN[when]} @harm jumpi ${confirms} :harm ${HARM.burns}`);
}

/** A token that is as its old code, at `old`, until its moment: then it harms whoever transfers it for another. */
export function hostileToken(old: string, when: When | 'calls', harm: Harm): string {
  const condition = when === 'calls' ? CALLS : WHEN[when];
  const isTransfer = '5f3560e01c6323b872dd14';
  const toOld = `5f5f365f73${old.slice(2).toLowerCase()}5af43d5f5f3e`;
  return assembled(
    `${isTransfer} @pull jumpi :old 365f5f37 :pass ${toOld} @ok jumpi 3d5ffd :ok 3d5ff3 ` +
      `:pull ${condition} @harm jumpi @old jump :harm ${HARM[harm]}`,
  );
}

/** Words are bytes of code, `:name` for a target of jumps, `@name` for its position. */
function assembled(source: string): string {
  const words = source.split(' ');
  const targets = new Map<string, number>();
  let size = 0;
  for (const word of words) {
    if (word.startsWith(':')) targets.set(word.slice(1), size);
    size += bytesOf(word, targets).length / 2;
  }
  return `0x${words.map((word) => bytesOf(word, targets)).join('')}`;
}

function bytesOf(word: string, targets: ReadonlyMap<string, number>): string {
  if (word.startsWith(':')) return '5b';
  if (word.startsWith('@')) return `61${(targets.get(word.slice(1)) ?? 0).toString(16).padStart(4, '0')}`;
  if (word === 'jump') return '56';
  return word === 'jumpi' ? '57' : word;
}
