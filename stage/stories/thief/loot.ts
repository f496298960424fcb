import type { Wallet } from 'ethers';
import { readTransfers, type Transfer } from '../../erc20.ts';
import type { Stage } from '../../stage.ts';
import { inTokens } from '../../tokens.ts';
import { type Attempt, STOLEN, type Stolen } from './attempt.ts';
import type { Victim } from './cast.ts';
import type { Thief } from './thief.ts';

interface Theft {
  readonly stolen: Stolen;
  readonly victim: Pick<Victim, 'name'> & { readonly payer: Pick<Wallet, 'address'> };
  readonly what: string;
}

const WIDTHS = { what: 58, victim: 5, answer: 42, amount: 9 } as const;

/** Shows attempts when they happen, and keeps them. */
export class Loot {
  readonly attempts: Attempt[];
  readonly #stage: Stage;
  readonly #thief: Thief;
  /** Whether the columns of this part are named. */
  #hasColumns = false;

  constructor(stage: Stage, thief: Thief, attempts: Attempt[]) {
    this.attempts = attempts;
    this.#stage = stage;
    this.#thief = thief;
  }

  /** The headline of a part, and what one should know about it. */
  chapter(title: string, ...notes: readonly string[]): void {
    this.#stage.narrator.chapter(title, ...notes);
    this.#hasColumns = false;
  }

  /** Makes an attempt, whose answer `act` resolves with, and reads from the chain what it took. */
  async take({ stolen, victim, what }: Theft, act: () => Promise<string>): Promise<Attempt> {
    const { chain, narrator } = this.#stage;
    const before = await chain.provider.getBlockNumber();
    const answer = await narrator.waitFor(what, act());
    const after = await chain.provider.getBlockNumber();
    // A node refuses a range after its newest block; without a new block there are no transfers.
    const transfers = after > before ? await readTransfers(chain.provider, chain.token, [before + 1, after]) : [];
    const attempt = { stolen, victim: victim.name, what, answer, ...this.#judge(transfers, victim) };
    this.attempts.push(attempt);
    if (!this.#hasColumns) {
      narrator.line('');
      narrator.line(row('what the thief tries', 'whom', 'answer', 'lost', 'charged'), 'note');
      this.#hasColumns = true;
    }
    const { lost, charged } = attempt;
    const shown = row(what, victim.name, answer, inTokens(lost), charged === 0n ? '' : inTokens(charged));
    narrator.line(shown, lost > 0n ? 'bad' : charged > 0n ? 'plain' : 'good');
    return attempt;
  }

  /** What one victim has lost to each kind of theft. */
  lost({ name }: Victim): bigint[] {
    return STOLEN.map((stolen) => {
      const own = this.attempts.filter((each) => each.victim === name && each.stolen === stolen);
      return own.reduce((sum, { lost }) => sum + lost, 0n);
    });
  }

  #judge(transfers: readonly Transfer[], { payer }: Theft['victim']): Pick<Attempt, 'lost' | 'charged' | 'transfers'> {
    const thefts = new Set(transfers.filter(({ to }) => this.#thief.owns(to)).map(({ txHash }) => txHash));
    const left = transfers.filter(({ from }) => from === payer.address);
    const sum = (those: readonly Transfer[]) => those.reduce((total, { value }) => total + value, 0n);
    return {
      lost: sum(left.filter(({ txHash }) => thefts.has(txHash))),
      charged: sum(left.filter(({ txHash }) => !thefts.has(txHash))),
      transfers: left,
    };
  }

  showSums(victims: readonly Victim[]): void {
    const { narrator } = this.#stage;
    const cells = (name: string, values: readonly string[]) =>
      ` ${name.padEnd(WIDTHS.what)}${values.map((value) => value.padStart(14)).join('')}`;
    narrator.chapter('Lost, USDC, by the Transfer logs of the chain');
    narrator.line(cells('', STOLEN), 'note');
    for (const victim of victims) {
      const lost = this.lost(victim);
      const values = lost.map((amount) => inTokens(amount));
      narrator.line(
        cells(`${victim.name}, ${victim.consent}`, values),
        lost.some((amount) => amount > 0n) ? 'bad' : 'good',
      );
    }
  }
}

function row(what: string, victim: string, answer: string, lost: string, charged: string): string {
  const parts = [
    what.padEnd(WIDTHS.what),
    victim.padEnd(WIDTHS.victim),
    answer.padEnd(WIDTHS.answer),
    lost.padStart(WIDTHS.amount),
    charged.padStart(WIDTHS.amount),
  ];
  return ` ${parts.join(' ').trimEnd()}`;
}
