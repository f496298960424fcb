import { mount } from '../../../web/ui/mount.tsx';
import { useTitle } from '../../../web/ui/use-title.ts';
import { CONTROLS } from './controls.tsx';
import { SpecimenPanels } from './specimen.tsx';
import { Tokens } from './tokens.tsx';
import { VIEWS } from './views.tsx';

/** Every component of `web/ui/` with every kind of content, below the tokens. */
function Specimens() {
  useTitle('Specimens');
  return (
    <main class="page stack">
      <h1>Specimens</h1>
      <Tokens />
      <SpecimenPanels specimens={CONTROLS} />
      <SpecimenPanels specimens={VIEWS} />
    </main>
  );
}

mount(<Specimens />);
