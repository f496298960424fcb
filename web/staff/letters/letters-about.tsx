import type { Letters } from '../../../src/staff/wire.ts';
import { LetterList } from '../../ui/letters.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useLoad } from '../api.ts';
import { OrderButton } from '../shared/order.tsx';
import { momentText } from '../shared/words.ts';

/** `address`: of the reader; null or absent: nothing can be changed here. */
export function LettersAbout({ id, address = null }: { readonly id: string; readonly address?: string | null }) {
  const loaded = useLoad<Letters>(`/letters?about=${encodeURIComponent(id)}`);
  const hasBounced = loaded.value?.stops.some(({ stop }) => stop === 'bounced') ?? false;
  const order = hasBounced
    ? {
        title: 'Send letters again',
        path: '/letters/releases',
        what: 'The address gets letters again, of every merchant.',
      }
    : {
        title: 'Report a bounce',
        path: '/letters/bounces',
        what: 'The address gets no further letters, of any merchant.',
      };
  const again = (letterId: string) => {
    const resend = { title: 'Send again', path: '/letters/resends', what: 'One more attempt to send the letter.' };
    return <OrderButton needs="act" order={{ ...resend, body: { letterId }, onDone: loaded.reload }} />;
  };
  return (
    <Panel title="Letters" testId="letters">
      <LetterList loaded={loaded} momentText={momentText} again={again} />
      {address !== null && loaded.value !== null && (
        <div>
          <OrderButton needs="act" order={{ ...order, body: { address }, onDone: loaded.reload }} />
        </div>
      )}
    </Panel>
  );
}
