import { Table } from '../../ui/table.tsx';
import { sumOf } from '../shared/amounts.ts';
import type { Interval } from './figures.ts';

const WIDTH = 360;
const HEIGHT = 130;
/** The most dates below a chart: more would touch on a phone. */
const TICKS_MAX = 5;

export interface Bar {
  /** The start of its day or month. */
  readonly start: string;
  /** Decimal strings. */
  readonly low: string;
  readonly high: string;
}

export interface RevenueChartProps {
  readonly title: string;
  readonly interval: Interval;
  readonly bars: readonly Bar[];
  /** What the lower and the upper part of a bar are. */
  readonly names: readonly [low: string, high: string];
  /** How a number is written. */
  readonly format: (value: string) => string;
}

/** Bars of two numbers, one above the other, over dates; and the same as a table. */
export function RevenueChart({ title, interval, bars, names: [lowName, highName], format }: RevenueChartProps) {
  const most = bars.reduce((so, { low, high }) => larger(so, sumOf([low, high])), '0.00');
  const step = WIDTH / Math.max(bars.length, 1);
  const width = Math.min(step - 2, 40);
  const scale = (HEIGHT - 10) / (Number(most) || 1);
  const every = Math.ceil(bars.length / TICKS_MAX);
  const ticks = bars.map(({ start }, index) => ({ start, left: ((index + 0.5) * 100) / bars.length }));
  const [lows, highs] = [sumOf(bars.map(({ low }) => low)), sumOf(bars.map(({ high }) => high))];
  const sums = `${format(lows)} ${lowName}, ${format(highs)} ${highName}`;
  return (
    <figure class="stack-tight">
      <figcaption class="small">
        {title}:{' '}
        <span>
          <span class="key key-settled" /> {format(lows)} {lowName}
        </span>{' '}
        <span>
          <span class="key key-failed" /> {format(highs)} {highName}
        </span>
      </figcaption>
      <div class="small soft">{Number(most) > 0 ? `Highest: ${format(most)}` : 'Nothing in this time'}</div>
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} from ${dateText(bars[0]?.start, interval)} to ${dateText(bars.at(-1)?.start, interval)}: ${sums}`}
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} class="chart-ground" />
        {bars.map(({ start, low, high }, index) => (
          <g key={start}>
            {[
              { kind: 'chart-settled', base: 0, value: Number(low) },
              { kind: 'chart-failed', base: Number(low), value: Number(high) },
            ].map(({ kind, base, value }) => (
              <rect
                key={kind}
                class={kind}
                x={index * step + (step - width) / 2}
                y={HEIGHT - (base + value) * scale}
                width={width}
                height={value * scale}
              />
            ))}
            <title>{`${dateText(start, interval)}: ${format(low)} ${lowName}, ${format(high)} ${highName}`}</title>
          </g>
        ))}
      </svg>
      <div class="chart-axis small soft">
        {ticks
          .filter((_, index) => index % every === Math.floor(every / 2))
          .map(({ start, left }) => (
            <time key={start} dateTime={start} style={{ insetInlineStart: `${left}%` }}>
              {dateText(start, interval)}
            </time>
          ))}
      </div>
      <details class="small">
        <summary>{title} as a table</summary>
        <Table
          caption={`${title} by ${interval}`}
          rows={bars}
          keyOf={({ start }) => start}
          columns={{
            [interval === 'day' ? 'Day (UTC)' : 'Month (UTC)']: ({ start }) => dateText(start, interval),
            [capital(lowName)]: { number: ({ low }) => format(low) },
            [capital(highName)]: { number: ({ high }) => format(high) },
          }}
        />
      </details>
    </figure>
  );
}

/** A day or month of UTC in the reader's language. */
export function dateText(start: string | undefined, interval: Interval): string {
  if (start === undefined) return '';
  const parts = interval === 'day' ? ({ day: 'numeric' } as const) : ({ year: 'numeric' } as const);
  return new Date(start).toLocaleDateString(undefined, { month: 'short', ...parts, timeZone: 'UTC' });
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function larger(one: string, other: string): string {
  return Number(one) < Number(other) ? other : one;
}
