import type { Story } from './story.ts';

/** What all merchants of a run do, seen as one. */
export class Stories {
  readonly all: readonly Story[];

  constructor(all: readonly Story[]) {
    this.all = all;
  }

  get end(): number {
    return Math.max(...this.all.map(({ end }) => end));
  }

  /** When the next thing is going to be done, which may be late by now; infinite: there is none. */
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
