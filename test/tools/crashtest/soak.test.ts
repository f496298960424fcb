import { coursesOf } from '../../../tools/crashtest/soak/flat.ts';
import { readMetrics, type Sample } from '../../../tools/crashtest/soak/samples.ts';

const STILL = {
  residentMb: 180,
  heapMb: 60,
  openFiles: 40,
  handles: 20,
  dueLagMs: 0,
  loopLagMs: 12,
  paymentMs: 200,
} as const;

/** A sample every five seconds for five minutes. */
function samplesOf(valuesAt: (share: number) => Partial<Record<keyof typeof STILL, number>>): Sample[] {
  return Array.from({ length: 61 }, (_, index) => ({
    atMs: index * 5_000,
    values: { ...STILL, ...valuesAt(index / 60) },
  }));
}

function grown(samples: readonly Sample[]): string[] {
  return coursesOf(samples).flatMap(({ quantity, holds }) => (holds ? [] : [quantity]));
}

describe('a soak', () => {
  it('finds nothing if nothing grows', () => {
    expect(grown(samplesOf(() => ({})))).toEqual([]);
  });

  it('ignores the time in which a process warms up', () => {
    expect(grown(samplesOf((share) => (share < 0.2 ? { residentMb: 60, heapMb: 20, paymentMs: 20 } : {})))).toEqual([]);
  });

  it('finds memory, handles and delays that grow with time', () => {
    const samples = samplesOf((share) => ({
      residentMb: 180 + 100 * share,
      heapMb: 60 + 60 * share,
      openFiles: 40 + 40 * share,
      handles: 20 + 40 * share,
      dueLagMs: 5_000 * share,
      loopLagMs: 12 + 60 * share,
      paymentMs: 200 + 400 * share,
    }));
    expect(grown(samples)).toEqual(Object.keys(STILL));
  });

  it('takes the heap after collections, not the garbage before the next one', () => {
    const sawtooth = samplesOf((share) => ({ heapMb: 60 + 80 * ((share * 7) % 1) }));
    expect(grown(sawtooth)).toEqual([]);
  });

  it('does not judge a quantity with few samples', () => {
    expect(() => coursesOf(samplesOf(() => ({})).slice(0, 1))).toThrow('not read often enough');
  });
});

describe('the metrics of a process', () => {
  const text = [
    '# HELP process_resident_memory_bytes Resident memory size in bytes.',
    'process_resident_memory_bytes 209715200',
    'nodejs_heap_size_used_bytes 52428800',
    'nodejs_heap_size_used_bytes_of_another 1',
    'process_open_fds 31',
    'nodejs_active_handles_total 12',
    'nodejs_eventloop_lag_p99_seconds 0.0125',
    'tideline_due_lag_seconds{kind="subscription"} 0',
    'tideline_due_lag_seconds{kind="payment"} 1.5',
    '',
  ];

  it('are read by their names, of several labels the largest', () => {
    expect(readMetrics(text.join('\n'))).toEqual({
      residentMb: 200,
      heapMb: 50,
      openFiles: 31,
      handles: 12,
      loopLagMs: 12.5,
      dueLagMs: 1_500,
    });
  });

  it('must be complete', () => {
    expect(() => readMetrics(text.filter((line) => !line.startsWith('process_open')).join('\n'))).toThrow(
      'GET /metrics has no process_open_fds',
    );
  });
});
