import { useId, useMemo } from 'preact/hooks';
import type { Diagram } from '../../src/staff/wire.ts';
import { classNames } from '../ui/class-names.ts';
import { layoutOf } from './layout.ts';

export interface DiagramViewProps {
  readonly diagram: Diagram;
  /** The innermost highlighted state. */
  readonly current: string | null;
  /** The state before a step; null: none. */
  readonly previous?: string | null;
}

/** A diagram made from the machine itself, with the present state and its outgoing arrows highlighted. */
export function DiagramView({ diagram, current, previous = null }: DiagramViewProps) {
  const { width, height, boxes, arrows } = useMemo(() => layoutOf(diagram), [diagram]);
  const id = useId();
  const isWithin = (state: string) => current !== null && (current === state || current.startsWith(`${state}.`));
  const label = `State diagram of a ${diagram.kind}; it is in ${current ?? 'no known state'}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <section class="diagram-frame" tabIndex={0} aria-label={label}>
      <svg
        class="diagram"
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label={label}
      >
        <defs>
          {['plain', 'lit'].map((kind) => (
            <marker
              key={kind}
              id={`${id}-${kind}`}
              viewBox="0 0 10 10"
              refX="9"
              refY="5"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M 0 0 L 10 5 L 0 10 z" class={`arrow-head-${kind}`} />
            </marker>
          ))}
        </defs>
        {boxes
          .filter(({ isFrame }) => isFrame)
          .map((box) => (
            <g key={box.id} class={classNames('state-frame', isWithin(box.id) && 'is-lit')}>
              <rect x={box.x} y={box.y} width={box.width} height={box.height} rx="8" />
            </g>
          ))}
        {arrows.map(({ edge, path }) => {
          const isTaken = previous !== null && edge.from === previous && edge.to === current;
          const isLit = isTaken || (previous === null && isWithin(edge.from));
          return (
            <path
              key={`${edge.from} ${edge.to}`}
              d={path}
              class={classNames('arrow', isLit && 'is-lit')}
              marker-end={`url(#${id}-${isLit ? 'lit' : 'plain'})`}
            >
              <title>{edge.labels.map(({ event, guard }) => (guard ? `${event} [${guard}]` : event)).join('\n')}</title>
            </path>
          );
        })}
        {boxes
          .filter(({ isFrame }) => isFrame)
          .map((box) => (
            <text
              key={box.id}
              class={classNames('frame-name', isWithin(box.id) && 'is-lit')}
              x={box.x + 12}
              y={box.y + 18}
            >
              {box.label}
            </text>
          ))}
        {boxes
          .filter(({ isFrame }) => !isFrame)
          .map((box) => (
            <g
              key={box.id}
              data-state={box.id}
              class={classNames('state', isWithin(box.id) && 'is-lit', box.id === previous && 'was-lit')}
            >
              <rect x={box.x} y={box.y} width={box.width} height={box.height} rx="6" />
              <text x={box.x + box.width / 2} y={box.y + box.height / 2 + 5} text-anchor="middle">
                {box.label}
              </text>
              <title>{box.description ?? box.id}</title>
            </g>
          ))}
      </svg>
    </section>
  );
}
