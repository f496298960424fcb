import type { Story } from './story.ts';

/** The stories of all merchants of a run, as one. */
export class Stories {
  readonly all: readonly Story[];

  constructor(all: readonly Story[]) {
    this.all = all;
  }

  get end(): number {
    return Math.max(...this.all.map(({ end }) => end));
  }

  /** The time of the next action, which may have passed; infinite: no action is left. */
  get next(): number {
    return Math.min(...this.all.map(({ next }) => next ?? Number.POSITIVE_INFINITY));
  }

  get isUnderWay(): boolean {
    return this.all.some(({ isUnderWay }) => isUnderWay);
  }

  async close(): Promise<void> {
    for (const story of this.all) await story.close();
  }
}
