import './gallery.css';
import { mount } from '../ui/mount.tsx';
import { useTitle } from '../ui/use-title.ts';
import { Controls } from './controls.tsx';
import { Messages } from './messages.tsx';
import { Tokens } from './tokens.tsx';
import { Views } from './views.tsx';

/** Every component of `web/ui/` in every state, below the tokens. */
function Specimens() {
  useTitle('Specimens');
  return (
    <main class="specimens stack">
      <h1>Specimens</h1>
      <Tokens />
      <Controls />
      <Messages />
      <Views />
    </main>
  );
}

mount(<Specimens />);
