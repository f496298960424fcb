import { capital } from './badge.tsx';
import { sumOf } from './sum.ts';
import { KeyedTable } from './table.tsx';

const WIDTH = 360;
const HEIGHT = 130;
/** The most dates below a chart: more would touch on a phone. */
const TICKS_MAX = 5;

export interface Bar {
  /** The start of its hours, its day or its month. */
  readonly start: string;
  /** Decimal strings. */
  readonly low: string;
  readonly high: string;
}

export interface BarChartProps {
  readonly title: string;
  /** The title of the starts in the table. */
  readonly column: string;
  readonly startText: (start: string) => string;
  /** The same below the chart, where little fits. */
  readonly tick?: (start: string) => string;
  readonly bars: readonly Bar[];
  /** What the lower and the upper part of a bar are. */
  readonly names: readonly [low: string, high: string];
  /** How a number is written. */
  readonly format: (value: string) => string;
}

/** Bars of two numbers, one above the other, over dates; and the same as a table. */
export function BarChart({ title, column, bars, names: [lowName, highName], format, ...props }: BarChartProps) {
  const { startText, tick = startText } = props;
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
      <figcaption class="row small">
        {`${title}:`}
        <span>
          <span class="key chart-settled" /> {format(lows)} {lowName}
        </span>
        <span>
          <span class="key chart-failed" /> {format(highs)} {highName}
        </span>
      </figcaption>
      <div class="small soft">{Number(most) > 0 ? `Highest: ${format(most)}` : 'Nothing in this time'}</div>
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} from ${startText(bars[0]?.start ?? '')} to ${startText(bars.at(-1)?.start ?? '')}: ${sums}`}
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
            <title>{`${startText(start)}: ${format(low)} ${lowName}, ${format(high)} ${highName}`}</title>
          </g>
        ))}
      </svg>
      <div class="chart-axis small soft">
        {ticks
          .filter((_, index) => index % every === Math.floor(every / 2))
          .map(({ start, left }) => (
            <time key={start} dateTime={start} style={{ insetInlineStart: `${left}%` }}>
              {tick(start)}
            </time>
          ))}
      </div>
      <details class="small">
        <summary>{title} as a table</summary>
        <KeyedTable
          caption={`${title} by ${column.toLowerCase()}`}
          rows={bars}
          keyOf={({ start }) => start}
          columns={{
            [`${column} (UTC)`]: ({ start }) => startText(start),
            [capital(lowName)]: { number: ({ low }) => format(low) },
            [capital(highName)]: { number: ({ high }) => format(high) },
          }}
        />
      </details>
    </figure>
  );
}

function larger(one: string, other: string): string {
  return Number(one) < Number(other) ? other : one;
}
