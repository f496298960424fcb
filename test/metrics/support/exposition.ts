/** One sample of a scrape. */
interface Sample {
  readonly name: string;
  readonly labels: { readonly [name: string]: string };
  readonly value: number;
}

export interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (NaN|[+-]?Inf|[+-]?[\d.]+(?:e[+-]?\d+)?)$/i;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/gy;

/**
 * Parses the text format of Prometheus as strictly as a scraper may: help and type before the samples of a family, each
 * family and each series once, no other lines. Throws an Error with the line.
 */
export function parseExposition(text: string): Map<string, Family> {
  const families = new Map<string, { help: string; type: string; samples: Sample[] }>();
  const series = new Set<string>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, what, about = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (what === 'HELP') {
      if (families.has(about)) throw new Error(`${about} stands there twice`);
      families.set(about, { help: rest, type: '', samples: [] });
      continue;
    }
    if (what === 'TYPE') {
      const family = families.get(about);
      if (!family || family.samples.length > 0) throw new Error(`the type of ${about} is out of place`);
      family.type = rest;
      continue;
    }
    const sample = readSample(line);
    const family = families.get(sample.name) ?? families.get(sample.name.replace(/_(?:bucket|sum|count)$/, ''));
    if (!family || family.type === '') throw new Error(`a sample of nothing: ${line}`);
    const name = line.slice(0, line.lastIndexOf(' '));
    if (series.has(name)) throw new Error(`a series twice: ${name}`);
    series.add(name);
    family.samples.push(sample);
  }
  return families;
}

/** The value of the only series with these labels, and perhaps others; undefined: there is none. */
export function seriesOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: { readonly [name: string]: string } = {},
): number | undefined {
  const found = families.get(name)?.samples.filter((sample) => {
    return Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  });
  if (found && found.length > 1) throw new Error(`${found.length} series of ${name} have ${JSON.stringify(labels)}`);
  return found?.[0]?.value;
}

function readSample(line: string): Sample {
  const [, name, list = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  let end = 0;
  for (const match of list.matchAll(LABEL)) {
    labels[match[1] ?? ''] = match[2] ?? '';
    end = (match.index ?? 0) + match[0].length;
  }
  if (end !== list.length) throw new Error(`labels that cannot be read: ${line}`);
  return { name, labels, value: Number(value.replace(/inf/i, 'Infinity')) };
}
