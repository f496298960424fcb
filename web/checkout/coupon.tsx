import { useEffect, useRef, useState } from 'preact/hooks';
import type { Discount } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { type Chosen, requestCoupon } from '../pay/checkout-api.ts';
import { discountText } from '../pay/discount.ts';
import { problemOf } from '../pay/problem.ts';
import { Button } from '../ui/button.tsx';
import { money } from '../ui/decimal.ts';
import { Field } from '../ui/field.tsx';

interface Found {
  readonly code: string;
  /** What the code takes off the choice; null: nothing, and `problem` says why. */
  readonly discount: Discount | null;
  readonly problem: string | null;
}

export interface Coupon {
  /** null: none is applied. */
  readonly discount: Discount | null;
  /** As typed, or as the address has it. */
  readonly code: string;
  /** Why the last code gives nothing; null: it does, or there is none. */
  readonly problem: string | null;
  readonly isAsking: boolean;
  /** Empty: the full price. */
  readonly apply: (code: string) => void;
  /** The service has refused something: asks whether the code still holds. */
  readonly recheck: () => void;
}

/** The code of the payer, checked for each choice. `first`: as the tab remembers it, or as the address has it. */
export function useCoupon(offerId: string, chosen: Chosen, first: string, isOn: boolean): Coupon {
  const [code, setCode] = useState(first);
  const [round, setRound] = useState(0);
  const [found, setFound] = useState<Found | null>(null);
  const { priceId, tokenKey, quantity } = chosen;
  const isWanted = isOn && code !== '';
  const recheck = () => setRound((before) => before + 1);
  useEffect(() => {
    setFound(null);
    if (!isWanted) return undefined;
    let isOver = false;
    const note = (discount: Discount | null, problem: string | null) => {
      if (!isOver) setFound({ code, discount, problem });
    };
    requestCoupon(offerId, code, chosen).then(
      (discount) => note(discount, null),
      (error: unknown) => note(null, problemOf(error).text),
    );
    return () => {
      isOver = true;
    };
  }, [offerId, code, priceId, tokenKey, quantity, isWanted, round]);
  return {
    code,
    discount: found?.discount ?? null,
    problem: found?.problem ?? null,
    isAsking: isWanted && found?.code !== code,
    apply: (text) => {
      setCode(text.trim());
      recheck();
    },
    recheck,
  };
}

export interface CouponFieldProps {
  readonly coupon: Coupon;
  /** The full charge, and its token. */
  readonly charge: { readonly amount: string; readonly ticker: string };
  /** The price is paid once. */
  readonly isOnce: boolean;
  readonly disabled: boolean;
}

/** A code to type; once it holds, both prices and for how long. */
export function CouponField({ coupon, charge: { amount, ticker }, isOnce, disabled }: CouponFieldProps) {
  const { code, discount, problem, isAsking, apply } = coupon;
  const [typed, setTyped] = useState(code);
  const region = useRef<HTMLFieldSetElement>(null);
  // It may have lapsed while the payer was reading further down.
  useEffect(() => {
    if (problem !== null) region.current?.scrollIntoView({ block: 'center' });
  }, [problem]);
  return (
    <fieldset class="stack-tight" ref={region} disabled={disabled} data-part="coupon">
      <legend>{say('coupon.title')}</legend>
      {discount === null ? (
        <form
          class="row coupon"
          onSubmit={(event) => {
            event.preventDefault();
            apply(typed);
          }}
        >
          <Field
            label={say('coupon.code')}
            value={typed}
            onInput={setTyped}
            maxLength={50}
            error={problem && say('coupon.full_price', { problem })}
          />
          <Button type="submit" busy={isAsking}>
            {say('coupon.apply')}
          </Button>
        </form>
      ) : (
        <div class="spread">
          <span>
            <strong dir="ltr">{discount.code}</strong> <s class="number">{money(amount, ticker)}</s>{' '}
            <strong class="number">{money(discount.charge, ticker)}</strong>
          </span>
          <Button size="small" variant="quiet" onClick={() => apply('')}>
            {say('coupon.remove')}
          </Button>
          <span class="small soft">{discountText(discount, ticker, isOnce)}</span>
        </div>
      )}
    </fieldset>
  );
}
