import type { Diagram, DiagramEdge, DiagramState } from '../../../src/staff/wire.ts';

/** A state as a box; SVG units. A state with inner states is their frame, with its name at the top. */
interface Box {
  readonly id: string;
  readonly label: string;
  readonly description: string | null;
  readonly isFrame: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Arrow {
  readonly edge: DiagramEdge;
  /** An SVG path that ends at its target. */
  readonly path: string;
  /** The middle of the path. */
  readonly middle: { readonly x: number; readonly y: number };
}

/** The text at an arrow, line below line, around its middle. */
export interface Label {
  readonly edge: DiagramEdge;
  readonly lines: readonly string[];
  readonly x: number;
  /** Of the first line's middle. */
  readonly y: number;
}

type Layout = ReturnType<typeof layoutOf>;

const BOX = { width: 118, height: 40, gap: 42 } as const;
const FRAME = { pad: 14, head: 26 } as const;
const ROW_GAP = 46;
const MARGIN = 44;
/** The distance between two tracks of arrows, and from the rows to the first track. */
const TRACK = { gap: 14, first: 18 } as const;
/** The distance of arrows between neighbours from the middle: one direction above, the other below. */
const ASIDE = 7;

/**
 * Outermost states one below the other, in the order of the machine; inner states side by side. Arrows to a
 * neighbouring row are straight; arrows past a row go around it, in one track per target state.
 */
export function layoutOf(diagram: Diagram) {
  const outermost = diagram.states.filter(({ parent }) => parent === null);
  const boxes: Box[] = [];
  let y = 10;
  for (const state of outermost) {
    const placed = rowOf(diagram, state, y);
    boxes.push(...placed);
    y += (placed[0]?.height ?? 0) + ROW_GAP;
  }
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const rows = new Map(outermost.map(({ id }, index) => [id, index]));
  const tracks = new Map<string, number>();
  const arrows = arrowsOf(diagram, new Map(boxes.map((box) => [box.id, box])), rows, tracks, right);
  const width = Math.max(right, ...tracks.values()) + TRACK.first;
  return { width, height: y - ROW_GAP + 10, boxes, arrows };
}

function rowOf(diagram: Diagram, state: DiagramState, y: number): Box[] {
  const inner = diagram.states.filter(({ parent }) => parent === state.id);
  if (inner.length === 0) return [boxOf(state, MARGIN + FRAME.pad, y)];
  const width = inner.length * BOX.width + (inner.length - 1) * BOX.gap + 2 * FRAME.pad;
  const height = FRAME.head + BOX.height + FRAME.pad;
  const frame = { ...boxOf(state, MARGIN, y), isFrame: true, width, height };
  const xOf = (index: number) => MARGIN + FRAME.pad + index * (BOX.width + BOX.gap);
  return [frame, ...inner.map((child, index) => boxOf(child, xOf(index), y + FRAME.head))];
}

function boxOf({ id, key: label, description }: DiagramState, x: number, y: number): Box {
  return { id, label, description, isFrame: false, x, y, width: BOX.width, height: BOX.height };
}

function arrowsOf(
  diagram: Diagram,
  boxes: ReadonlyMap<string, Box>,
  rows: ReadonlyMap<string, number>,
  tracks: Map<string, number>,
  right: number,
): Arrow[] {
  const ports = new Map<string, number>();
  return diagram.edges.flatMap((edge): Arrow[] => {
    const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
    if (!from || !to || from === to) return [];
    const apart = (rows.get(outer(to.id)) ?? 0) - (rows.get(outer(from.id)) ?? 0);
    if (apart === 0) return [{ edge, ...within(from, to, ports) }];
    if (Math.abs(apart) === 1) return [{ edge, ...between(from, to, ports) }];
    const isDown = apart > 0;
    return [{ edge, ...around(from, to, trackOf(to, isDown, tracks, right), isDown, ports) }];
  });
}

/** Downwards at the right, upwards at the left. */
function trackOf(to: Box, isDown: boolean, tracks: Map<string, number>, right: number): number {
  const key = `${isDown ? 'down' : 'up'} ${to.id}`;
  const count = [...tracks.keys()].filter((each) => each.startsWith(isDown ? 'down' : 'up')).length;
  const far = TRACK.first + TRACK.gap * count;
  const track = tracks.get(key) ?? (isDown ? right + far : MARGIN - far);
  tracks.set(key, track);
  return track;
}

function outer(id: string): string {
  return id.split('.')[0] ?? id;
}

/** The next free point on a side of a box, from its middle outwards. */
function port(box: Box, side: 'top' | 'bottom' | 'left' | 'right', ports: Map<string, number>): number {
  const key = `${box.id} ${side}`;
  const count = ports.get(key) ?? 0;
  ports.set(key, count + 1);
  const isAcross = side === 'top' || side === 'bottom';
  const [start, length, spacing] = isAcross ? [box.x, box.width, 12] : [box.y, box.height, 7];
  const step = Math.ceil(count / 2) * spacing * (count % 2 === 0 ? 1 : -1);
  return start + length / 2 + Math.max(-length / 2 + 6, Math.min(length / 2 - 6, step));
}

type Course = Pick<Arrow, 'path' | 'middle'>;

/** Within one row: from side to side, or above the boxes between. */
function within(from: Box, to: Box, ports: Map<string, number>): Course {
  const isRight = to.x > from.x;
  const gap = isRight ? to.x - (from.x + from.width) : from.x - (to.x + to.width);
  if (gap <= BOX.gap) {
    const [x1, x2] = isRight ? [from.x + from.width, to.x] : [from.x, to.x + to.width];
    const y = from.y + from.height / 2 + (isRight ? -ASIDE : ASIDE);
    return { path: `M ${x1} ${y} L ${x2} ${y}`, middle: { x: (x1 + x2) / 2, y } };
  }
  const [x1, x2] = [port(from, 'bottom', ports), port(to, 'bottom', ports)];
  const [y1, y2] = [from.y + from.height, to.y + to.height];
  const path = `M ${x1} ${y1} C ${x1} ${y1 + 26}, ${x2} ${y2 + 26}, ${x2} ${y2}`;
  return { path, middle: { x: (x1 + x2) / 2, y: y1 + 20 } };
}

/** Between neighbouring rows. */
function between(from: Box, to: Box, ports: Map<string, number>): Course {
  const isDown = to.y > from.y;
  const [x1, x2] = [port(from, isDown ? 'bottom' : 'top', ports), port(to, isDown ? 'top' : 'bottom', ports)];
  const [y1, y2] = isDown ? [from.y + from.height, to.y] : [from.y, to.y + to.height];
  const bend = (y2 - y1) / 2;
  const path = `M ${x1} ${y1} C ${x1} ${y1 + bend}, ${x2} ${y2 - bend}, ${x2} ${y2}`;
  return { path, middle: { x: (x1 + x2) / 2, y: (y1 + y2) / 2 } };
}

/** Past other rows: out at one side, along the track, and in again. */
function around(from: Box, to: Box, track: number, isDown: boolean, ports: Map<string, number>): Course {
  const side = isDown ? 'right' : 'left';
  const [x1, x2] = isDown ? [from.x + from.width, to.x + to.width] : [from.x, to.x];
  const [y1, y2] = [port(from, side, ports), to.y + to.height / 2];
  const out = Math.sign(track - x1) * 10;
  const bend = Math.sign(y2 - y1) * 14;
  const path = [
    `M ${x1} ${y1} L ${track - out} ${y1}`,
    `Q ${track} ${y1}, ${track} ${y1 + bend} L ${track} ${y2 - bend}`,
    `Q ${track} ${y2}, ${track - out} ${y2} L ${x2} ${y2}`,
  ].join(' ');
  return { path, middle: { x: track, y: (y1 + y2) / 2 } };
}

const LINE = { height: 15, perCharacter: 8 } as const;
const SHIFT = 8;
const SHIFTS_MAX = 40;

/**
 * The texts at these arrows, each in the free area nearest to the middle of its arrow: over no state, and over no
 * other.
 */
export function labelsOf(
  { width, height, boxes, arrows }: Layout,
  texts: ReadonlyMap<DiagramEdge, readonly string[]>,
): Label[] {
  const used: Area[] = boxes.filter(({ isFrame }) => !isFrame);
  return arrows.flatMap(({ edge, middle }): Label[] => {
    const lines = texts.get(edge);
    if (lines === undefined) return [];
    const size = {
      width: Math.max(...lines.map((line) => line.length)) * LINE.perCharacter,
      height: lines.length * LINE.height,
    };
    const x = Math.max(0, Math.min(width - size.width, middle.x - size.width / 2));
    const areas = Array.from({ length: SHIFTS_MAX }, (_, at) => {
      const shift = Math.ceil(at / 2) * SHIFT * (at % 2 === 0 ? 1 : -1);
      return { x, y: middle.y - size.height / 2 + shift, ...size };
    });
    const isInside = ({ y }: Area) => y >= 0 && y + size.height <= height;
    const area = areas.find((area) => isInside(area) && !used.some((other) => areCrossing(area, other))) ?? areas[0];
    if (area === undefined) return [];
    used.push(area);
    return [{ edge, lines, x: area.x + size.width / 2, y: area.y + LINE.height / 2 }];
  });
}

type Area = Pick<Box, 'x' | 'y' | 'width' | 'height'>;

function areCrossing(one: Area, other: Area): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
