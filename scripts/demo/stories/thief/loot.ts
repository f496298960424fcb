import { readTransfers, type Transfer } from '../../../../stage/erc20.ts';
import { money } from '../../shop.ts';
import type { Stage } from '../../stage.ts';
import type { Victim } from './cast.ts';
import type { Thief } from './thief.ts';

/** What a thief has stolen before the attempt, in the order of the story. */
const STOLEN = ['sender key', 'API key', 'database'] as const;
type Stolen = (typeof STOLEN)[number];

/** One attempt of the thief, judged by the Transfer logs of its blocks. Amounts in base units. */
export interface Attempt {
  readonly stolen: Stolen;
  readonly victim: string;
  readonly what: string;
  /** The answer of the chain or the service. */
  readonly answer: string;
  /** What left the victim's wallet in transactions that pay the thief. */
  readonly lost: bigint;
  /** What left it in all other transactions: for the merchant and the platform. */
  readonly charged: bigint;
  /** All transfers from the victim's wallet. */
  readonly transfers: readonly Transfer[];
}

interface Asked {
  readonly stolen: Stolen;
  readonly victim: Victim;
  readonly what: string;
}

const WIDTHS = { what: 58, victim: 5, answer: 42, amount: 9 } as const;

/** Shows attempts when they happen, and keeps them. */
export class Loot {
  readonly attempts: Attempt[] = [];
  readonly #stage: Stage;
  readonly #thief: Thief;
  /** Whether the columns of this part are named. */
  #hasColumns = false;

  constructor(stage: Stage, thief: Thief) {
    this.#stage = stage;
    this.#thief = thief;
  }

  /** The headline of a part, and what one should know about it. */
  chapter(title: string, ...notes: readonly string[]): void {
    const { timeline, terminal } = this.#stage;
    timeline.chapter(title);
    for (const note of notes) terminal.line(terminal.colors.dim(` ${note}`));
    this.#hasColumns = false;
  }

  /** Makes an attempt, whose answer `act` resolves with, and reads from the chain what it took. */
  async take({ stolen, victim, what }: Asked, act: () => Promise<string>): Promise<Attempt> {
    const { world, shop, timeline } = this.#stage;
    const before = await world.provider.getBlockNumber();
    const answer = await timeline.waitFor(what, act());
    const after = await world.provider.getBlockNumber();
    // A node refuses a range after its newest block; without a new block there are no transfers.
    const transfers =
      after > before ? await readTransfers(world.provider, shop.token.address, [before + 1, after]) : [];
    const attempt = { stolen, victim: victim.name, what, answer, ...this.#judge(transfers, victim) };
    this.attempts.push(attempt);
    this.#nameColumns();
    timeline.addLine(this.#painted(attempt));
    return attempt;
  }

  /** What one victim has lost to each kind of theft. */
  lost({ name }: Victim): bigint[] {
    return STOLEN.map((stolen) => {
      const own = this.attempts.filter((each) => each.victim === name && each.stolen === stolen);
      return own.reduce((sum, { lost }) => sum + lost, 0n);
    });
  }

  #nameColumns(): void {
    if (this.#hasColumns) return;
    const { terminal } = this.#stage;
    terminal.line();
    terminal.line(terminal.colors.dim(row('what the thief tries', 'whom', 'answer', 'lost', 'charged')));
    this.#hasColumns = true;
  }

  #judge(transfers: readonly Transfer[], { payer }: Victim): Pick<Attempt, 'lost' | 'charged' | 'transfers'> {
    const thefts = new Set(transfers.filter(({ to }) => this.#thief.owns(to)).map(({ txHash }) => txHash));
    const left = transfers.filter(({ from }) => from === payer.address);
    const sum = (those: readonly Transfer[]) => those.reduce((total, { value }) => total + value, 0n);
    return {
      lost: sum(left.filter(({ txHash }) => thefts.has(txHash))),
      charged: sum(left.filter(({ txHash }) => !thefts.has(txHash))),
      transfers: left,
    };
  }

  #painted({ what, victim, answer, lost, charged }: Attempt): string {
    const { green, red } = this.#stage.terminal.colors;
    const shown = (units: bigint) => money(units, this.#stage.shop.token);
    const text = row(what, victim, answer, shown(lost), charged === 0n ? '' : shown(charged));
    if (lost > 0n) return red(text);
    return charged > 0n ? text : green(text);
  }

  /** The sums by victim and theft. */
  showSums(victims: readonly Victim[]): void {
    const { terminal, shop } = this.#stage;
    const { bold, dim, green, red } = terminal.colors;
    const cells = (name: string, values: readonly string[]) =>
      ` ${name.padEnd(WIDTHS.what)}${values.map((value) => value.padStart(14)).join('')}`;
    terminal.line();
    terminal.line(` ${bold('Lost')} ${dim(`USDC, by the Transfer logs of the chain`)}`);
    terminal.line();
    terminal.line(dim(cells('', STOLEN)));
    for (const victim of victims) {
      const lost = this.lost(victim);
      const line = cells(
        `${victim.name}, ${victim.consent}`,
        lost.map((units) => money(units, shop.token)),
      );
      terminal.line(lost.some((units) => units > 0n) ? red(line) : green(line));
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
