const WIDTH = 360;
const HEIGHT = 130;

export interface Bar {
  readonly label: string;
  readonly low: number;
  readonly high: number;
}

export interface RevenueChartProps {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** What the lower and the upper part of a bar count. */
  readonly names: readonly [low: string, high: string];
}

/** Bars of two counts, one above the other. The table below it has all numbers. */
export function RevenueChart({ title, bars, names: [lowName, highName] }: RevenueChartProps) {
  const most = Math.max(4, ...bars.map(({ low, high }) => low + high));
  const step = WIDTH / Math.max(bars.length, 1);
  const width = Math.min(step - 2, 40);
  const scale = (HEIGHT - 10) / most;
  const [lows, highs] = [total(bars, ({ low }) => low), total(bars, ({ high }) => high)];
  return (
    <figure class="stack-tight">
      <figcaption class="small">
        {title}: <span class="key key-settled" /> {lows} {lowName} <span class="key key-failed" /> {highs} {highName}
      </figcaption>
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${lows} ${lowName}, ${highs} ${highName}`}
      >
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} class="chart-ground" />
        {bars.map(({ label, low, high }, index) => (
          <g key={label}>
            <rect
              class="chart-settled"
              x={index * step + 1}
              y={HEIGHT - low * scale}
              width={width}
              height={low * scale}
            />
            <rect
              class="chart-failed"
              x={index * step + 1}
              y={HEIGHT - (low + high) * scale}
              width={width}
              height={high * scale}
            />
            <title>{`${label}: ${low} ${lowName}, ${high} ${highName}`}</title>
          </g>
        ))}
      </svg>
      <div class="spread small soft" aria-hidden="true">
        <span>{bars[0]?.label}</span>
        <span>{bars.length > 1 ? bars.at(-1)?.label : ''}</span>
      </div>
    </figure>
  );
}

function total(bars: readonly Bar[], of: (bar: Bar) => number): number {
  return bars.reduce((sum, bar) => sum + of(bar), 0);
}
