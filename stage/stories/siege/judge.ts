import type { Transfer } from '../../erc20.ts';

/** A block; its time is in seconds. */
export interface Block {
  readonly number: number;
  readonly timestamp: number;
}

/** An honest charge, due from a block on. Cycles begin with 1. */
export interface Due {
  readonly payer: string;
  readonly cycle: number;
  readonly since: Block;
}

/** `price`: the amount that honest payers have signed for each cycle, in base units, to `recipients` alone. */
export interface Siege {
  readonly dues: readonly Due[];
  readonly price: bigint;
  readonly recipients: readonly string[];
  readonly thief: string;
  readonly transfers: readonly Transfer[];
  readonly blockOf: (txHash: string) => Block | undefined;
}

/** A charge is late if it takes longer than both, blocks and seconds. */
const BLOCKS = 10;
const SECONDS = 120;

/** By the Transfer logs alone: what is wrong, and the longest time from due to charged, in seconds. */
export function judge({ dues, price, recipients, thief, transfers, blockOf }: Siege) {
  const payers = new Set(dues.map(({ payer }) => payer));
  const pulls = transfers.filter(({ from }) => payers.has(from));
  const taken = [...transfers.filter(({ to }) => to === thief), ...pulls.filter(({ to }) => !recipients.includes(to))];
  const findings = taken.map(({ from, to, value }) => `${to} got ${value} of ${from}`);
  const charged = new Set(pulls.map(({ from, txHash }) => `${from} ${txHash}`)).size;
  if (charged > dues.length) findings.push(`there are ${charged} charges, and only ${dues.length} were due`);
  let slowest = 0;
  for (const { payer, cycle, since } of dues) {
    const own = pulls.filter(({ from }) => from === payer);
    const hash = [...new Set(own.map(({ txHash }) => txHash))][cycle - 1] ?? '';
    const shares = own.filter(({ txHash }) => txHash === hash);
    const paid = shares.reduce((sum, { value }) => sum + value, 0n);
    if (paid !== price) findings.push(`${payer} paid ${paid} for cycle ${cycle}, not ${price}`);
    const { number, timestamp } = blockOf(hash) ?? since;
    const seconds = timestamp - since.timestamp;
    slowest = Math.max(slowest, seconds);
    const isLate = number - since.number > BLOCKS && seconds > SECONDS;
    if (isLate) findings.push(`${payer} paid for cycle ${cycle} after ${seconds} s`);
  }
  return { charged, slowest, findings };
}
