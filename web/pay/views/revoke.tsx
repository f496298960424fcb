import type { ComponentChild } from 'preact';
import type { Asked } from '../../../src/checkout/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StatusRegion } from '../../ui/status-region.tsx';
import type { Flow } from '../flow.ts';
import type { FlowState } from '../flow-state.ts';
import type { Standing } from '../standing.ts';
import { approveCall, revokeCall } from '../wallets/calls.ts';
import type { Agreement } from '../wallets/wallet.ts';
import { OnItsWay } from './on-its-way.tsx';

export interface RevokeProps<S extends Standing> {
  readonly flow: Flow<S>;
  readonly state: FlowState<S>;
  readonly standing: S;
  readonly asked: Asked;
  readonly picker: ComponentChild;
}

/** The exact transactions that make further charges impossible, to send from here or from anywhere. */
export function Revoke<S extends Standing>(props: RevokeProps<S>) {
  const { flow, state, standing, asked, picker } = props;
  const { agreement } = flow;
  return (
    <section class="stack" aria-labelledby="revoke-title" data-part="revoke">
      <h2 id="revoke-title">Take the approval back</h2>
      <p>
        One transaction sets the amount that {standing.merchantName} may charge to zero. Your wallet sends it; you need
        nobody's help.
      </p>
      {asked.lines.length > 1 && (
        <Notice tone="warn">
          <p>This approval also pays for your other subscriptions. Their next charges would fail.</p>
        </Notice>
      )}
      <Revocation asked={asked} />
      <Sending
        state={state}
        what="revocation"
        done={{ title: 'The approval is taken back', text: 'No charge is possible until you approve again.' }}
        label="Take it back"
        onSend={() => void flow.revoke()}
        onAgain={() => flow.giveUpSent()}
      />
      {agreement !== null && (
        <>
          <h3>Or end the agreement</h3>
          <p>
            One transaction ends this agreement on the contract that keeps it, for good: nothing more can be charged
            under it, whatever you approve. Your approval and your other subscriptions stay as they are.
          </p>
          <Ending agreement={agreement} />
          <Sending
            state={state}
            what="end"
            done={{ title: 'The agreement is ended', text: 'Nothing more can be charged under it.' }}
            label="End the agreement"
            onSend={() => void flow.endAgreement()}
            onAgain={() => flow.giveUpSent()}
          />
        </>
      )}
      {state.wallet === null && picker}
    </section>
  );
}

interface SendingProps<S extends Standing> {
  readonly state: FlowState<S>;
  readonly what: 'revocation' | 'end';
  readonly done: { readonly title: string; readonly text: string };
  readonly label: string;
  readonly onSend: () => void;
  readonly onAgain: () => void;
}

/** The button that sends one of them, and its result. */
function Sending<S extends Standing>({ state, what, done, label, onSend, onAgain }: SendingProps<S>) {
  const { wallet, sent, doing } = state;
  const isDone = state.done.includes(what);
  const isOnItsWay = sent?.what === what && sent.state === 'not_yet';
  return (
    <>
      <StatusRegion>
        {isDone && (
          <Notice tone="good" title={done.title}>
            <p>{done.text}</p>
          </Notice>
        )}
      </StatusRegion>
      {isOnItsWay && <OnItsWay title="The transaction is on its way" again={`${label} again`} onAgain={onAgain} />}
      {wallet !== null && !isDone && !isOnItsWay && (
        <Button variant="danger" busy={doing === DOING[what]} disabled={doing !== null} onClick={onSend}>
          {label} with {wallet.name}
        </Button>
      )}
    </>
  );
}

const DOING = { revocation: 'revoking', end: 'ending' } as const;

function Revocation({ asked }: { readonly asked: Asked }) {
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
    <ContractCall
      place={playing}
      to={playing.token}
      call={`approve(${operator}, 0)`}
      data={approveCall(operator, 0n)}
      part="revocation"
    />
  );
}

function Ending({ agreement: { place, router, merchant, agreement } }: { readonly agreement: Agreement }) {
  return (
    <ContractCall
      place={place}
      to={router}
      call={`revoke(${merchant}, ${agreement})`}
      data={revokeCall(merchant, agreement)}
      part="ending"
    />
  );
}

interface ContractCallProps {
  readonly place: Asked['playing'];
  readonly to: string;
  readonly call: string;
  readonly data: string;
  readonly part: string;
}

function ContractCall({ place: { label, chainId }, to, call, data, part }: ContractCallProps) {
  return (
    <dl class="facts">
      <dt>Network</dt>
      <dd>
        {label} ({chainId})
      </dd>
      <dt>To</dt>
      <dd class="code">{to}</dd>
      <dt>Function</dt>
      <dd class="code">{call}</dd>
      <dt>Data</dt>
      <dd class="code" data-part={part}>
        {data}
      </dd>
    </dl>
  );
}
