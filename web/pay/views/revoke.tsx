import type { ComponentChild } from 'preact';
import type { RequestedAllowance } from '../../../src/checkout/wire.ts';
import { say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { Facts } from '../../ui/panel.tsx';
import type { Flow } from '../flow.ts';
import type { FlowState } from '../flow-state.ts';
import type { Purchase } from '../purchase.ts';
import { approveCall, revokeCall } from '../wallets/calls.ts';
import type { Agreement } from '../wallets/wallet.ts';
import { Network } from './network.tsx';
import { OnItsWay } from './on-its-way.tsx';

export interface RevokeProps<S extends Purchase> {
  readonly flow: Flow<S>;
  readonly state: FlowState<S>;
  readonly purchase: S;
  readonly allowance: RequestedAllowance;
  readonly picker: ComponentChild;
}

/** The exact transactions that make further charges impossible, to send from here or from anywhere. */
export function Revoke<S extends Purchase>(props: RevokeProps<S>) {
  const { flow, state, purchase, allowance, picker } = props;
  const { agreement } = flow;
  return (
    <section class="stack" aria-labelledby="revoke-title" data-part="revoke">
      <h2 id="revoke-title">{say('revoke.title')}</h2>
      <p>{say('revoke.text', { merchant: purchase.merchantName })}</p>
      <p>{say('revoke.other_subscriptions')}</p>
      <Revocation allowance={allowance} />
      <Sending state={state} what="revocation" onSend={() => void flow.revoke()} onAgain={() => flow.giveUpSent()} />
      {agreement !== null && (
        <>
          <h3>{say('revoke.end_title')}</h3>
          <p>{say('revoke.end_text')}</p>
          <Ending agreement={agreement} />
          <Sending state={state} what="end" onSend={() => void flow.endAgreement()} onAgain={() => flow.giveUpSent()} />
        </>
      )}
      {state.wallet === null && picker}
    </section>
  );
}

interface SendingProps<S extends Purchase> {
  readonly state: FlowState<S>;
  readonly what: 'revocation' | 'end';
  readonly onSend: () => void;
  readonly onAgain: () => void;
}

/** The button that sends one of them, and its result. */
function Sending<S extends Purchase>({ state, what, onSend, onAgain }: SendingProps<S>) {
  const { wallet, sent, doing } = state;
  const words = WORDS[what];
  const isDone = state.done.includes(what);
  const isOnItsWay = sent?.what === what && sent.state === 'not_yet';
  return (
    <>
      <StatusRegion>
        {isDone && (
          <Notice tone="good" title={say(words.done)}>
            <p>{say(words.doneText)}</p>
          </Notice>
        )}
      </StatusRegion>
      {isOnItsWay && <OnItsWay title={say('pay.transaction_on_its_way')} again={say(words.again)} onAgain={onAgain} />}
      {wallet !== null && !isDone && !isOnItsWay && (
        <Button variant="danger" busy={doing === words.doing} disabled={doing !== null} onClick={onSend}>
          {say(words.with, { wallet: wallet.name })}
        </Button>
      )}
    </>
  );
}

const WORDS = {
  revocation: {
    doing: 'revoking',
    with: 'revoke.with',
    again: 'revoke.again',
    done: 'revoke.done',
    doneText: 'revoke.done_text',
  },
  end: {
    doing: 'ending',
    with: 'revoke.end_with',
    again: 'revoke.end_again',
    done: 'purchase.agreement_over',
    doneText: 'revoke.end_done_text',
  },
} as const;

function Revocation({ allowance }: { readonly allowance: RequestedAllowance }) {
  const { playing, operator, chainFamily } = allowance;
  if (chainFamily === 'solana') {
    return (
      <Facts
        facts={[
          [say('common.network'), <bdi>{playing.label}</bdi>],
          [say('revoke.instruction'), say('revoke.instruction_text')],
          [say('revoke.mint'), <code>{playing.token}</code>],
        ]}
      />
    );
  }
  return (
    <ContractCall
      payToken={playing}
      to={playing.token}
      call={`approve(${operator}, 0)`}
      data={approveCall(operator, 0n)}
      part="revocation"
    />
  );
}

function Ending({ agreement: { payToken, router, merchant, agreement } }: { readonly agreement: Agreement }) {
  return (
    <ContractCall
      payToken={payToken}
      to={router}
      call={`revoke(${merchant}, ${agreement})`}
      data={revokeCall(merchant, agreement)}
      part="ending"
    />
  );
}

interface ContractCallProps {
  readonly payToken: RequestedAllowance['playing'];
  readonly to: string;
  readonly call: string;
  readonly data: string;
  readonly part: string;
}

function ContractCall({ payToken, to, call, data, part }: ContractCallProps) {
  return (
    <Facts
      facts={[
        [say('common.network'), <Network {...payToken} />],
        [say('revoke.to'), <code>{to}</code>],
        [say('revoke.function'), <code>{call}</code>],
        [say('revoke.data'), <code data-part={part}>{data}</code>],
      ]}
    />
  );
}
