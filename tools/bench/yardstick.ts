/**
 * The current slowness of the machine: the processor time, in milliseconds, of a fixed piece of work in this process,
 * which parses text and writes it again. On a shared machine it may double within a minute.
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
