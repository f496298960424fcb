import { useId, useMemo } from 'preact/hooks';
import type { Diagram, DiagramEdge } from '../../../src/staff/wire.ts';
import { classNames } from '../../ui/class-names.ts';
import { type Label, labelsOf, layoutOf } from './diagram-layout.ts';
import { eventsOf, isWithin, litEdges, type Taken, type Way, wayOf } from './journal-path.ts';

export interface DiagramViewProps {
  readonly diagram: Diagram;
  /** The innermost highlighted state. */
  readonly current: string | null;
  /** The state before a step; null: none. */
  readonly previous?: string | null;
  /** The events that have led here; null: no journal tells. */
  readonly journal: readonly Taken[] | null;
}

/**
 * A diagram made from the machine itself: the present state and its outgoing arrows with their events, the way that led
 * here, and the rest dimmed. A list has the same in words.
 */
export function DiagramView({ diagram, current, previous = null, journal }: DiagramViewProps) {
  const layout = useMemo(() => layoutOf(diagram), [diagram]);
  const way = useMemo(() => (journal === null ? null : wayOf(diagram, journal)), [diagram, journal]);
  const lit = litEdges(diagram, current, previous);
  const texts = new Map(lit.map((edge, at) => [edge, textOf(at + 1, eventsOf(edge))]));
  const { width, height, boxes, arrows } = layout;
  const [frames, inner] = [boxes.filter(({ isFrame }) => isFrame), boxes.filter(({ isFrame }) => !isFrame)];
  const id = useId();
  const isLitBox = (state: string) => current !== null && isWithin(current, state);
  const classOf = (state: string) => {
    if (isLitBox(state)) return 'is-lit';
    return way !== null && !way.states.has(state) && 'is-dim';
  };
  const markOf = (edge: (typeof arrows)[number]['edge']) => {
    if (lit.includes(edge)) return 'lit';
    if (way === null) return 'plain';
    return way.edges.has(edge) ? 'taken' : 'dim';
  };
  const label = `State diagram of a ${diagram.kind}; it is in ${current ?? 'no known state'}`;
  return (
    <div class="stack">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <section class="diagram-frame" tabIndex={0} aria-label={label}>
        <svg
          class="diagram"
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label={`${label}. The list below has its arrows in words`}
        >
          <defs>
            {MARKS.map((mark) => (
              <ArrowHead key={mark} id={`${id}-${mark}`} mark={mark} />
            ))}
          </defs>
          {frames.map((box) => (
            <g key={box.id} class={classNames('state-frame', classOf(box.id))}>
              <rect x={box.x} y={box.y} width={box.width} height={box.height} rx="8" />
            </g>
          ))}
          {arrows.map(({ edge, path }) => {
            const mark = markOf(edge);
            return (
              <path
                key={`${edge.from} ${edge.to}`}
                d={path}
                class={classNames('arrow', mark !== 'plain' && `is-${mark}`)}
                data-arrow={`${edge.from} ${edge.to}`}
                marker-end={`url(#${id}-${mark})`}
              >
                <title>{titleOf(edge)}</title>
              </path>
            );
          })}
          {frames.map(({ id: frame, x, y, label: name }) => (
            <text key={frame} class={classNames('frame-name', isLitBox(frame) && 'is-lit')} x={x + 12} y={y + 18}>
              {name}
            </text>
          ))}
          {inner.map((box) => (
            <g
              key={box.id}
              data-state={box.id}
              class={classNames('state', classOf(box.id), box.id === previous && 'was-lit')}
            >
              <rect x={box.x} y={box.y} width={box.width} height={box.height} rx="6" />
              <text x={box.x + box.width / 2} y={box.y + box.height / 2 + 5} text-anchor="middle">
                {box.label}
              </text>
              <title>{box.description ?? box.id}</title>
            </g>
          ))}
          {labelsOf(layout, texts).map((each) => (
            <ArrowLabel key={`${each.edge.from} ${each.edge.to}`} label={each} />
          ))}
        </svg>
      </section>
      <ArrowList diagram={diagram} lit={lit} isStep={previous !== null} way={way} />
    </div>
  );
}

const MARKS = ['plain', 'lit', 'taken', 'dim'] as const;

function ArrowHead({ id, mark }: { readonly id: string; readonly mark: (typeof MARKS)[number] }) {
  const size = { markerUnits: 'userSpaceOnUse', markerWidth: 10, markerHeight: 10 } as const;
  return (
    <marker id={id} viewBox="0 0 10 10" refX="9" refY="5" {...size} orient="auto">
      <path d="M 0 0 L 10 5 L 0 10 z" class={`arrow-head is-${mark}`} />
    </marker>
  );
}

function titleOf({ labels }: DiagramEdge): string {
  return labels.map(({ event, guard, words }) => `${event}: ${words}${guard ? ` [${guard}]` : ''}`).join('\n');
}

/** The number of the arrow in the list, and its events line by line. */
function textOf(number: number, events: readonly (readonly [event: string, words: string])[]): string[] {
  return events.map(([event], at) => (at === 0 ? `${number} ${event}` : event));
}

function ArrowLabel({ label: { lines, x, y } }: { readonly label: Label }) {
  return (
    <text class="arrow-label" x={x} y={y + 4} text-anchor="middle">
      {lines.map((line, at) => (
        <tspan key={line} x={x} dy={at === 0 ? 0 : 15}>
          {line}
        </tspan>
      ))}
    </text>
  );
}

interface ArrowListProps {
  readonly diagram: Diagram;
  /** Numbered as in the diagram. */
  readonly lit: readonly DiagramEdge[];
  readonly isStep: boolean;
  readonly way: Way | null;
}

/** The diagram in words: for screen readers, and instead of it on a narrow screen. */
function ArrowList({ diagram, lit, isStep, way }: ArrowListProps) {
  const passed = [...(way?.edges ?? [])];
  const taken = passed.map(([edge]) => edge);
  const others = diagram.edges.filter((edge) => !lit.includes(edge) && !taken.includes(edge));
  const inWay = passed.map(([{ labels, ...edge }, events]) => ({
    ...edge,
    labels: labels.filter(({ event }) => events.has(event)),
  }));
  return (
    <div class="stack-tight small">
      <Arrows title={isStep ? 'This step' : 'From here'} edges={lit} name="lit" />
      {inWay.length > 0 && (
        <details>
          <summary>The way so far ({inWay.length})</summary>
          <Arrows title={null} edges={inWay} name="taken" />
        </details>
      )}
      <details>
        <summary>All other arrows ({others.length})</summary>
        <Arrows title={null} edges={others} name="other" />
      </details>
    </div>
  );
}

interface ArrowsProps {
  readonly title: string | null;
  readonly edges: readonly DiagramEdge[];
  readonly name: string;
}

function Arrows({ title, edges, name }: ArrowsProps) {
  if (edges.length === 0) return title === null ? null : <p class="soft">{title}: no arrow leads on.</p>;
  return (
    <>
      {title !== null && <p class="soft">{title}</p>}
      <ol class="arrows" data-arrows={name}>
        {edges.map((edge) => (
          <li key={`${edge.from} ${edge.to}`}>
            <strong>
              {edge.from} → {edge.to}
            </strong>{' '}
            {eventsOf(edge).map(([event, words], at) => (
              <span key={event}>
                {at > 0 && '; or '}on <code>{event}</code>: {words}
              </span>
            ))}
          </li>
        ))}
      </ol>
    </>
  );
}
