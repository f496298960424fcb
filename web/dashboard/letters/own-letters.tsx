import type { Letters } from '../../../src/staff/wire.ts';
import { Button } from '../../ui/button.tsx';
import { LetterList } from '../../ui/letters.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { post, useLoad, useRole } from '../dashboard-api.ts';
import type { Mode } from '../route.ts';
import { momentText } from '../shared/moment.tsx';

interface OwnLettersProps {
  readonly mode: Mode;
  /** A customer, a subscription or a payment, or the merchant. */
  readonly about: string;
  readonly title?: string;
  /** Of a customer with an address; absent: its letters cannot be stopped here. */
  readonly customerId?: string;
}

export function OwnLetters({ mode, about, title = 'Letters', customerId }: OwnLettersProps) {
  const loaded = useLoad<Letters>(`/letters?mode=${mode}&about=${about}`);
  const isStopped = loaded.value?.stops.some(({ stop }) => stop === 'merchant') ?? false;
  const mayStop = useRole('member');
  const { isBusy, problem, act } = useAction();
  const change = async () => {
    await post('/letters/stops', { mode, customerId, isStopped: !isStopped });
    loaded.reload();
  };
  const again = (letterId: string) => (
    <Button
      size="small"
      busy={isBusy}
      onClick={() => void act(() => post('/letters/resends', { mode, letterId }).then(loaded.reload))}
    >
      Send again
    </Button>
  );
  return (
    <Panel title={title} testId="letters">
      <LetterList loaded={loaded} momentText={momentText} {...(mayStop ? { again } : {})} />
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {customerId !== undefined && mayStop && (
        <div>
          <Button size="small" busy={isBusy} onClick={() => void act(change)}>
            {isStopped ? 'Send this customer letters again' : 'Send this customer no letters'}
          </Button>
        </div>
      )}
    </Panel>
  );
}
