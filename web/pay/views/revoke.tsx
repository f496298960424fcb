import type { ComponentChild } from 'preact';
import type { Asked } from '../../../src/checkout/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StatusRegion } from '../../ui/status-region.tsx';
import type { Flow } from '../flow.ts';
import type { FlowState } from '../flow-state.ts';
import type { Standing } from '../standing.ts';
import { approveCall } from '../wallets/approve-call.ts';
import { OnItsWay } from './on-its-way.tsx';

/** The exact transaction that revokes the allowance, to send from here or from anywhere. */
export function Revoke<S extends Standing>({
  flow,
  state,
  asked,
  picker,
}: {
  flow: Flow<S>;
  state: FlowState<S>;
  asked: Asked;
  picker: ComponentChild;
}) {
  const { wallet, sent, doing, standing } = state;
  const others = asked.lines.length > 1;
  const revocation = sent?.what === 'revocation' ? sent.state : null;
  const isRevoked = revocation === 'good';
  return (
    <section class="stack" aria-labelledby="revoke-title" data-part="revoke">
      <h2 id="revoke-title">Take the approval back</h2>
      <p>
        One transaction sets the amount that {standing?.merchantName} may charge to zero. Your wallet sends it; you need
        nobody's help.
      </p>
      {others && (
        <Notice tone="warn">
          <p>This approval also pays for your other subscriptions. Their next charges would fail.</p>
        </Notice>
      )}
      <TheTransaction asked={asked} />
      <StatusRegion>
        {isRevoked && (
          <Notice tone="good" title="The approval is taken back">
            <p>No charge is possible until you approve again.</p>
          </Notice>
        )}
      </StatusRegion>
      {revocation === 'not_yet' && (
        <OnItsWay title="The transaction is on its way" again="Take it back again" onAgain={() => flow.giveUpSent()} />
      )}
      {wallet !== null && !isRevoked && revocation !== 'not_yet' && (
        <Button variant="danger" busy={doing !== null} onClick={() => void flow.revoke()}>
          Take it back with {wallet.name}
        </Button>
      )}
      {wallet === null && picker}
    </section>
  );
}

function TheTransaction({ asked }: { readonly asked: Asked }) {
  const { playing, operator, chainFamily } = asked;
  if (chainFamily === 'solana') {
    return (
      <dl class="facts">
        <dt>Network</dt>
        <dd>{playing.label}</dd>
        <dt>Instruction</dt>
        <dd>Revoke of the token program, for your account of the mint below</dd>
        <dt>Mint</dt>
        <dd class="code">{playing.token}</dd>
      </dl>
    );
  }
  return (
    <dl class="facts">
      <dt>Network</dt>
      <dd>
        {playing.label} ({playing.chainId})
      </dd>
      <dt>To</dt>
      <dd class="code">{playing.token}</dd>
      <dt>Function</dt>
      <dd class="code">approve({operator}, 0)</dd>
      <dt>Data</dt>
      <dd class="code" data-part="revocation">
        {approveCall(operator, 0n)}
      </dd>
    </dl>
  );
}
