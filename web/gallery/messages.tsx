import { useState } from 'preact/hooks';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { LoadFailed, SessionUnknown, WhenLoaded } from '../ui/load-failed.tsx';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { StatusRegion } from '../ui/status-region.tsx';

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
    <Panel title="Badges">
      <div class="row">
        {(['plain', 'good', 'warn', 'bad', 'accent'] as const).map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
      </div>
    </Panel>
  );
}

function Notices() {
  return (
    <Panel title="Notices" id="notices">
      {(['plain', 'good', 'warn', 'bad'] as const).map((tone) => (
        <Notice key={tone} tone={tone} title={`A ${tone} notice`} isInRegion>
          <p>
            Its text, with <a href="#notices">a link to this section</a> and <code>code</code>.
          </p>
        </Notice>
      ))}
      <Notice>Without a title.</Notice>
      <Notice tone="good" title="Without a text" />
    </Panel>
  );
}

function Regions() {
  const [isFilled, setFilled] = useState(false);
  return (
    <Panel title="Status region">
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
    </Panel>
  );
}

function Failures() {
  const failed = { value: null, error: 'The service does not answer.', isMissing: false, isLoading: false, reload };
  return (
    <Panel title="What could not be loaded">
      <LoadFailed loaded={failed} />
      <LoadFailed loaded={{ ...failed, error: 'The answer was late.', isLoading: true }} />
      <LoadFailed loaded={{ ...failed, error: 'Not found', isMissing: true }}>
        <p>It was deleted, or the address is wrong.</p>
      </LoadFailed>
      <WhenLoaded loaded={{ ...failed, error: null }} wait={<p class="soft">Loading…</p>}>
        {() => null}
      </WhenLoaded>
      <SessionUnknown title="Tideline" loaded={{ ...failed, error: null }} />
    </Panel>
  );
}

function reload(): void {}
