import type { Chart } from './types.ts';

const WIDTH = 720;
const HEIGHT = 150;
const FOOT = 20;

/** Bars of charges, settled below and failed on top; every bar says its numbers, and a table says all of them. */
export function ChargesChart({ chart }: { readonly chart: Chart }) {
  const { bars, range } = chart;
  const most = Math.max(4, ...bars.map(({ settled, failed }) => settled + failed));
  const step = WIDTH / bars.length;
  const scale = (HEIGHT - FOOT - 10) / most;
  const totals = bars.reduce((sum, bar) => ({ settled: sum.settled + bar.settled, failed: sum.failed + bar.failed }), {
    settled: 0,
    failed: 0,
  });
  const label = `In the last ${range} ${totals.settled} charges settled and ${totals.failed} failed`;
  return (
    <figure class="stack-tight">
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        <line x1="0" x2={WIDTH} y1={HEIGHT - FOOT} y2={HEIGHT - FOOT} class="chart-ground" />
        {bars.map(({ from, settled, failed }, index) => {
          const [low, high] = [settled * scale, failed * scale];
          const x = index * step + 2;
          return (
            <g key={from}>
              <rect class="chart-settled" x={x} y={HEIGHT - FOOT - low} width={step - 4} height={low} />
              <rect class="chart-failed" x={x} y={HEIGHT - FOOT - low - high} width={step - 4} height={high} />
              <title>{`${from.slice(0, 16).replace('T', ' ')}: ${settled} settled, ${failed} failed`}</title>
              {index % Math.ceil(bars.length / 6) === 0 && (
                <text x={x} y={HEIGHT - 4} class="chart-label">
                  {range === 'day' ? from.slice(11, 16) : from.slice(5, 10)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <figcaption class="small" data-testid="chart">
        <span class="key key-settled" /> {totals.settled} settled <span class="key key-failed" /> {totals.failed} failed
        <span class="soft"> · UTC, up to {most} in a bar</span>
      </figcaption>
    </figure>
  );
}
