import type { Diagram, DiagramEdge } from '../../../src/staff/wire.ts';
import { eventsOf, type Way } from './journal-path.ts';

export interface ArrowListProps {
  readonly diagram: Diagram;
  /** Numbered as in the diagram. */
  readonly lit: readonly DiagramEdge[];
  readonly isStep: boolean;
  readonly way: Way | null;
}

/** The diagram in words: for screen readers, and instead of it on a narrow screen. */
export function ArrowList({ diagram, lit, isStep, way }: ArrowListProps) {
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
