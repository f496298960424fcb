import { say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';

export interface OnItsWayProps {
  readonly title: string;
  /** The label of the button that requests the transaction again. */
  readonly again: string;
  readonly onAgain: () => void;
}

/**
 * A transaction that is canceled in a wallet never lands, and the wallet does not report it. Only its owner knows, and
 * must be able to continue.
 */
export function OnItsWay({ title, again, onAgain }: OnItsWayProps) {
  return (
    <Notice title={title} isStep>
      <p>{say('pay.on_its_way_text')}</p>
      <div>
        <Button size="small" onClick={onAgain}>
          {again}
        </Button>
      </div>
    </Notice>
  );
}
