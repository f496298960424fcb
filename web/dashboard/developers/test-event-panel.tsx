import { useState } from 'preact/hooks';
import type { TestEvent } from '../../../src/dashboard/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { post } from '../dashboard-api.ts';
import type { WebhookEndpoint } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

export interface TestEventPanelProps {
  readonly mode: Mode;
  readonly endpoint: WebhookEndpoint | null;
}

/** One signed request to the endpoint, to see that it answers. */
export function TestEventPanel({ mode, endpoint }: TestEventPanelProps) {
  const [answer, setAnswer] = useState<TestEvent | null>(null);
  const { isBusy, problem, act } = useAction();
  const send = async () => {
    setAnswer(null);
    setAnswer(await post<TestEvent>('/webhooks/test-event', { mode }));
  };
  if (endpoint === null || endpoint.effectiveUrl === null) return null;
  return (
    <Panel title="Test event">
      <p class="soft">
        Sends one signed event of the kind <code>webhook.test</code> to your endpoint. It is not in the log.
      </p>
      <div>
        <Button busy={isBusy} onClick={() => void act(send)}>
          Send a test event
        </Button>
      </div>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <StatusRegion>{answer !== null && <Answered answer={answer} />}</StatusRegion>
    </Panel>
  );
}

function Answered({ answer: { status, durationMs, error, body } }: { readonly answer: TestEvent }) {
  if (status === null) {
    return (
      <Notice tone="bad" isInRegion title={`No answer after ${durationMs} ms`}>
        {error}
      </Notice>
    );
  }
  const isTaken = status >= 200 && status < 300;
  return (
    <Notice tone={isTaken ? 'good' : 'bad'} isInRegion title={`HTTP ${status} after ${durationMs} ms`}>
      {body !== null && body !== '' && <pre class="exact">{body}</pre>}
    </Notice>
  );
}
