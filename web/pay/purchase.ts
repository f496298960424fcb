import type { Authorization, PayerState, Session } from '../../src/checkout/wire.ts';

type Both = 'merchantName' | 'offerName' | 'isSandbox' | 'asked' | 'chain' | 'permitToSign' | 'mandate' | 'outcome';

/** The parts that a session and a link have in common, and those of one that the shared views read, if it has them. */
export interface Purchase
  extends Pick<Session & Authorization, Both>,
    Partial<Pick<Session, 'id' | 'wallet' | 'isExisting'>>,
    Partial<Pick<Authorization, 'isSigned' | 'isAuthorized'>> {
  readonly kind: Session['kind'] | Authorization['kind'];
}

/** New terms that no wallet has authorized yet; until then the subscription follows the present ones. */
export function isUnagreed({ kind, isAuthorized }: Pick<Purchase, 'kind' | 'isAuthorized'>): boolean {
  return kind === 'migration' && isAuthorized === false;
}

/** The charge of new terms that begin at once has failed: nobody has agreed to them any more. */
export function isChangeFailed(purchase: Pick<Purchase, 'kind' | 'isAuthorized' | 'isSigned' | 'outcome'>): boolean {
  return isUnagreed(purchase) && purchase.isSigned === false && purchase.outcome.payment?.status === 'failed';
}

/** The payer has ended the agreement on its contract, or all its charges are made. New terms have one of their own. */
export function isAgreementOver(purchase: Pick<Purchase, 'kind' | 'isAuthorized' | 'outcome'>): boolean {
  return purchase.outcome.waitsFor === 'signature' && !isUnagreed(purchase);
}

/** The payer has agreed to this here: the paying wallet has signed it. */
export function isAgreed({ isSigned = true, isExisting = false, wallet, outcome }: Purchase): boolean {
  return isSigned && (!isExisting || outcome.subscription?.payerWallet === wallet);
}

/** The wallet has too little for a charge that follows its approval immediately. */
export function isShortNow(chain: PayerState | null): chain is PayerState {
  return chain !== null && BigInt(chain.missingNowBaseUnits) > 0n;
}

/** A charge has succeeded for it at any time. */
export function isCharged({ outcome }: Pick<Purchase, 'outcome'>): boolean {
  return (outcome.subscription?.cyclesCompleted ?? 0) > 0 || outcome.payment?.status === 'settled';
}
