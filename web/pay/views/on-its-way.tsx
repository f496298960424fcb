import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';

export interface OnItsWayProps {
  readonly title: string;
  /** The label of the button that requests the transaction again. */
  readonly again: string;
  readonly onAgain: () => void;
}

/**
 * A transaction that is canceled in a wallet never lands, and the wallet does not report it. Only its owner knows, and must
 * be able to continue.
 */
export function OnItsWay({ title, again, onAgain }: OnItsWayProps) {
  return (
    <Notice title={title} isStep>
      <p>
        It usually takes less than a minute. If you canceled it in your wallet, or if it does not arrive, send it again.
        Two transactions have the same effect as one.
      </p>
      <div>
        <Button size="small" onClick={onAgain}>
          {again}
        </Button>
      </div>
    </Notice>
  );
}
