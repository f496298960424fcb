import { type MessageKey, say } from '../../i18n/say.ts';
import { classNames } from '../../ui/class-names.ts';
import type { FlowState } from '../flow-state.ts';
import type { Purchase } from '../purchase.ts';
import { isAgreed, isUnagreed } from '../purchase.ts';
import { shortened } from '../words.ts';

type StepState = 'done' | 'now' | 'later' | 'bad';

interface Step {
  readonly title: MessageKey;
  readonly state: StepState;
  readonly hash: string | null;
}

/** Signed, approved, charged: the progress. */
export function Steps<S extends Purchase>({ state, purchase }: { readonly state: FlowState<S>; readonly purchase: S }) {
  return (
    <ol class="plain-list stack-tight" aria-label={say('steps.progress')} translate={false}>
      {stepsOf(state, purchase).map(({ title, state: is, hash }) => (
        <li key={title} class={classNames('step', `step-${is}`)} aria-current={is === 'now' ? 'step' : undefined}>
          <span class="step-mark" aria-hidden="true" />
          <span>
            {say(title)}
            <span class="visually-hidden"> {say(`steps.is_${is}`)}</span>
            {hash !== null && (
              <>
                {' '}
                <code class="small soft" title={hash}>
                  {shortened(hash)}
                </code>
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

function stepsOf<S extends Purchase>({ sent }: FlowState<S>, purchase: S): Step[] {
  const { outcome, chain } = purchase;
  const { waitsFor, permit } = outcome;
  // Meanwhile, the progress and the last payment belong to the present terms.
  const { progress, payment } = isUnagreed(purchase) ? UNAGREED : outcome;
  const isCovered = progress !== 'waiting' || (waitsFor !== 'allowance' && chain?.missingAllowanceBaseUnits === '0');
  const hasFailed =
    !isCovered && (permit?.status === 'failed' || (sent?.what === 'approval' && sent.state === 'reverted'));
  const isPaid = payment?.status === 'settled';
  return [
    ...(isAgreed(purchase) ? [{ title: 'steps.agreed', state: 'done', hash: null } as const] : []),
    {
      title: isCovered ? 'steps.approved' : 'pay.approval',
      state: isCovered ? 'done' : hasFailed ? 'bad' : 'now',
      hash: (sent?.what === 'approval' ? sent.hash : permit?.txHash) ?? null,
    },
    {
      title: isPaid ? 'steps.charged' : 'steps.charge',
      state: chargeState(progress, isPaid, isCovered),
      hash: payment?.pullTxHash ?? null,
    },
  ];
}

const UNAGREED = { progress: 'waiting', payment: null } as const;

function chargeState(progress: Purchase['outcome']['progress'], isPaid: boolean, isCovered: boolean): StepState {
  if (isPaid) return 'done';
  if (progress === 'ended') return 'bad';
  return progress === 'charging' || (isCovered && progress === 'waiting') ? 'now' : 'later';
}
