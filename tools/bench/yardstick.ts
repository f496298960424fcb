/**
 * How slow the machine is at the moment: the processor time, in milliseconds, that a fixed piece of work takes in this process,
 * text that is parsed and written again. On a machine that is shared it may double within a minute.
 */
export function yardstickMs(): number {
  const began = process.cpuUsage();
  JSON.stringify(JSON.parse(TEXT));
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}

const TEXT = JSON.stringify(
  Array.from({ length: 500 }, (_, index) => ({
    id: `row-${index}`,
    state: { name: 'waiting', since: '2026-01-01T00:00:00.000Z', tries: [index, index + 1, index + 2] },
    amounts: { gross: String(index * 1_000_003), share: String(index * 997), fee: null },
  })),
);
