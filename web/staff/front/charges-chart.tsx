import type { Chart } from '../../../src/staff/wire.ts';
import { momentText } from '../shared/words.ts';

const WIDTH = 720;
const HEIGHT = 130;

/** Bars of charges, settled below and failed on top. Every bar has its numbers as text, and a table has all of them. */
export function ChargesChart({ chart }: { readonly chart: Chart }) {
  const { bars, range } = chart;
  const most = Math.max(4, ...bars.map(({ settled, failed }) => settled + failed));
  const step = WIDTH / bars.length;
  const scale = (HEIGHT - 10) / most;
  const totals = bars.reduce((sum, bar) => ({ settled: sum.settled + bar.settled, failed: sum.failed + bar.failed }), {
    settled: 0,
    failed: 0,
  });
  const label = `In the last ${range} ${totals.settled} charges settled and ${totals.failed} failed`;
  return (
    <figure class="stack-tight">
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} class="chart-ground" />
        {bars.map(({ from, settled, failed }, index) => {
          const [low, high] = [settled * scale, failed * scale];
          const x = index * step + 2;
          return (
            <g key={from}>
              <rect class="chart-settled" x={x} y={HEIGHT - low} width={step - 4} height={low} />
              <rect class="chart-failed" x={x} y={HEIGHT - low - high} width={step - 4} height={high} />
              <title>{`${momentText(from)}: ${settled} settled, ${failed} failed`}</title>
            </g>
          );
        })}
      </svg>
      <div class="chart-scale small soft number" aria-hidden="true">
        {bars
          .filter((_, index) => index % Math.ceil(bars.length / 3) === 0)
          .map(({ from }) => (
            <span key={from}>{range === 'day' ? `${from.slice(11, 16)} UTC` : from.slice(5, 10)}</span>
          ))}
        <span>now</span>
      </div>
      <figcaption class="small" data-testid="chart">
        <span class="key key-settled" /> {totals.settled} settled <span class="key key-failed" /> {totals.failed} failed
        <span class="soft"> · up to {most} in a bar</span>
      </figcaption>
    </figure>
  );
}
