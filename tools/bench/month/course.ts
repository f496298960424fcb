import { median } from '../row.ts';

/** What the processes have at one moment. */
export interface Sample {
  /** Resident memory, MiB. */
  readonly mib: Readonly<Record<Process, number>>;
  /** Processor time since the process started, milliseconds. */
  readonly cpuMs: Readonly<Record<Process, number>>;
  /** Files and connections that the service has open. */
  readonly files: number;
}

export const PROCESSES = ['service', 'database', 'node'] as const;
export type Process = (typeof PROCESSES)[number];

/** A sample, the milliseconds since the start, and the charges that had ended. */
export interface Mark {
  readonly ms: number;
  readonly done: number;
  readonly sample: Sample;
}

/** A part of the run: the charges between two samples. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly ms: number;
  readonly yardstickMs: number;
  readonly cpuMs: Readonly<Record<Process, number>>;
  readonly end: Sample;
}

export interface Tenth {
  readonly perSecond: number;
  readonly cpuMsPerCharge: Readonly<Record<Process, number>>;
  /** Processor time of service and database for a charge, in yardsticks. Other work on the machine does not count. */
  readonly yardsticksPerCharge: number;
  readonly mib: Readonly<Record<Process, number>>;
  readonly files: number;
}

const PARTS = 100;
const TENTHS = 10;

/** The course of a run, in parts of a hundredth: its size does not depend on the number of charges. */
export class Course {
  readonly #count: number;
  readonly #parts: Part[] = [];
  readonly #yardsticks: number[] = [];
  #start: Mark;

  constructor(count: number, start: Mark) {
    this.#count = count;
    this.#start = start;
  }

  /** True if a part ends with so many charges done: then `sample` is to be called. */
  check(done: number, yardstickMs: number): boolean {
    this.#yardsticks.push(yardstickMs);
    const step = this.#count / PARTS;
    return (
      done > this.#start.done && (done >= this.#count || Math.floor(done / step) > Math.floor(this.#start.done / step))
    );
  }

  sample({ ms, done, sample }: Mark): void {
    const { ms: began, done: from, sample: before } = this.#start;
    const yardsticks = this.#yardsticks.splice(0);
    this.#parts.push({
      from,
      to: done,
      ms: ms - began,
      yardstickMs: yardsticks.reduce((sum, each) => sum + each, 0) / yardsticks.length,
      cpuMs: eachProcess((name) => sample.cpuMs[name] - before.cpuMs[name]),
      end: sample,
    });
    this.#start = { ms, done, sample };
  }

  /** Continues at `start`: what happened since the last sample belongs to no part. */
  skip(start: Mark): void {
    this.#yardsticks.length = 0;
    this.#start = start;
  }

  /** @param number from 1 to 10. A part that reaches into it belongs to it. */
  tenth(number: number): Tenth {
    const [from, to] = [number - 1, number].map((each) => (each * this.#count) / TENTHS);
    const parts = this.#parts.filter((part) => part.to > (from ?? 0) && part.from < (to ?? 0));
    const of = (figure: (part: Part) => number): number => median(parts.map(figure));
    const sum = (figure: (part: Part) => number): number => parts.reduce((total, part) => total + figure(part), 0);
    const charges = sum((part) => part.to - part.from);
    return {
      // Not a mean of the parts' rates: charges end in the rhythm of blocks, so parts are very fast or slow.
      perSecond: (charges / sum(({ ms }) => ms)) * 1_000,
      cpuMsPerCharge: eachProcess((name) => sum(({ cpuMs }) => cpuMs[name]) / charges),
      yardsticksPerCharge: sum(({ cpuMs, yardstickMs }) => (cpuMs.service + cpuMs.database) / yardstickMs) / charges,
      mib: eachProcess((name) => of(({ end }) => end.mib[name])),
      files: of(({ end }) => end.files),
    };
  }
}

export function eachProcess(figure: (name: Process) => number): Record<Process, number> {
  return { service: figure('service'), database: figure('database'), node: figure('node') };
}
