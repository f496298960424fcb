import type { TroubleItem } from '../../../src/staff/wire.ts';
import { Copyable } from '../../ui/copy-button.tsx';
import { hrefOf } from '../route.ts';
import { Sentence } from '../shared/reference.tsx';
import { distanceText } from '../shared/words.ts';

export interface TroubleLinesProps {
  readonly items: readonly TroubleItem[];
  /** The time of the answer. */
  readonly at: string;
}

export function TroubleLines({ items, at }: TroubleLinesProps) {
  return (
    <ul class="plain-list">
      {items.map((item) => (
        <Line key={`${item.kind} ${item.id} ${item.detail}`} item={item} at={at} />
      ))}
    </ul>
  );
}

function Line({ item, at }: { readonly item: TroubleItem; readonly at: string }) {
  const href = hrefOf(item.kind, item.id);
  return (
    <li class="line stack-tight">
      <span>
        {href === null ? <strong>{item.title}</strong> : <a href={href}>{item.title}</a>}
        <span class="small soft">
          {' '}
          <Sentence text={item.detail} />
        </span>
      </span>
      <span class="small soft">
        <Copyable text={item.id} isShort />
        {item.since !== null && ` · ${distanceText(item.since, at)}`}
      </span>
    </li>
  );
}
