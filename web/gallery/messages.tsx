import { useState } from 'preact/hooks';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice } from '../ui/notice.tsx';
import { StatusRegion } from '../ui/status-region.tsx';
import { Specimen } from './specimen.tsx';

/** What the page says. */
export function Messages() {
  return (
    <>
      <Badges />
      <Notices />
      <Regions />
      <Failures />
    </>
  );
}

function Badges() {
  return (
    <Specimen title="Badges">
      <div class="row">
        {(['plain', 'good', 'warn', 'bad', 'accent'] as const).map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
      </div>
    </Specimen>
  );
}

function Notices() {
  return (
    <Specimen title="Notices">
      {(['plain', 'good', 'warn', 'bad'] as const).map((tone) => (
        <Notice key={tone} tone={tone} title={`A ${tone} notice`} isInRegion>
          <p>
            Its text, with <a href="#notices">a link to this section</a> and <code>code</code>.
          </p>
        </Notice>
      ))}
      <Notice>Without a title.</Notice>
      <Notice tone="good" title="Without a text" />
    </Specimen>
  );
}

function Regions() {
  const [isFilled, setFilled] = useState(false);
  return (
    <Specimen title="Status region">
      <StatusRegion>
        {isFilled && (
          <Notice tone="good" title="It is paid" isInRegion>
            Screen readers announce it.
          </Notice>
        )}
      </StatusRegion>
      <div>
        <Button onClick={() => setFilled(!isFilled)}>{isFilled ? 'Empty it' : 'Fill it'}</Button>
      </div>
    </Specimen>
  );
}

function Failures() {
  const failed = { error: 'The service does not answer.', isMissing: false, isLoading: false, reload: () => {} };
  return (
    <Specimen title="What could not be loaded">
      <LoadFailed loaded={failed} />
      <LoadFailed loaded={{ ...failed, error: 'The answer was late.', isLoading: true }} />
      <LoadFailed loaded={{ ...failed, error: 'Not found', isMissing: true }}>
        <p>It was deleted, or the address is wrong.</p>
      </LoadFailed>
    </Specimen>
  );
}
