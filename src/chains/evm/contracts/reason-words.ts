import { unknownCase } from '../../../../machines/unknown-case.ts';
import type { ChargeRefusal } from '../../../store/collections.ts';
import { isMandateReason } from '../../mandate-rules.ts';
import { mandateReasonInWords, moment } from '../../mandate-words.ts';
import type { Reason, TokenReason } from './reasons.ts';

export function refusalOf(reason: Reason): ChargeRefusal {
  return { kind: reason.kind, text: reasonInWords(reason) };
}

/** A refusal in words for staff. Amounts are in base units of the token. */
function reasonInWords(reason: Reason): string {
  if (isMandateReason(reason)) return mandateReasonInWords(reason);
  switch (reason.kind) {
    case 'seen':
      return `the key ${reason.key} was charged before`;
    case 'pull_failed':
      return `the token did not move the amount to the router: ${tokenReasonInWords(reason.inner)}`;
    case 'share_pull_failed':
      return `the token did not move share ${reason.index + 1} from the payer to its recipient: ${tokenReasonInWords(reason.inner)}`;
    case 'share_failed':
      return `the token did not move share ${reason.index + 1} to its recipient: ${tokenReasonInWords(reason.inner)}`;
    case 'balance_failed':
      return `the token gives no balance: ${tokenReasonInWords(reason.inner)}`;
    case 'refund_failed':
      return `the refund was refused: ${tokenReasonInWords(reason.inner)}`;
    case 'permit_failed':
      return `the token did not take the permit for ${reason.value}, and the allowance is ${reason.allowance}: ${tokenReasonInWords(reason.inner)}`;
    case 'arrival_mismatch':
      return `${reason.arrived} arrived instead of ${reason.expected}`;
    case 'residue':
      return `the router would keep tokens: it would have ${reason.balance} instead of ${reason.expected}`;
    case 'out_of_gas':
      return `the charge used up its ${reason.given} gas`;
    case 'gas_too_low':
      return `the transaction has ${reason.available} gas left, and the charge needs ${reason.required}`;
    case 'not_a_token':
      return `no contract is at the token's address ${reason.token}`;
    case 'zero_gross':
      return 'the amount is zero';
    case 'shares_uneven':
      return `there are ${reason.recipients} recipients and ${reason.amounts} amounts`;
    case 'too_many_shares':
      return `there are ${reason.attempted} shares, and ${reason.allowed} are allowed`;
    case 'shares_mismatch':
      return `the shares add up to ${reason.sum} instead of ${reason.gross}`;
    case 'bad_recipient':
      return `share ${reason.index + 1} would go to ${reason.recipient}, where it would be lost`;
    case 'zero_refund':
      return 'the refund is zero';
    case 'not_sender':
      return `${reason.caller} is not a sender of the router`;
    case 'not_owner':
      return `${reason.caller} is not the owner of the router`;
    case 'not_guardian':
      return `${reason.caller} is not the guardian of the router`;
    case 'not_self':
      return `${reason.caller} is not the router`;
    case 'paused':
      return 'the router is paused';
    case 'not_paused':
      return 'the router is not paused';
    case 'reentered':
      return 'the token called the router back';
    case 'owner_required':
      return 'the router needs an owner';
    case 'bad_owner':
      return `${reason.owner} cannot own the router`;
    case 'bad_sender':
      return `${reason.sender} cannot be a sender`;
    case 'not_announced':
      return `${reason.payee} is not announced`;
    case 'bad_payee':
      return `${reason.payee} cannot be paid`;
    case 'gas_budget_too_low':
      return `the gas budget ${reason.base} + ${reason.perShare} a share is too low`;
    case 'unknown':
      return `the router gave ${reason.data === '0x' ? 'no reason' : reason.data}`;
    default:
      return unknownCase(reason, 'reason');
  }
}

function tokenReasonInWords(reason: TokenReason): string {
  switch (reason.kind) {
    case 'insufficient_allowance':
      return `${reason.spender} has an allowance of ${reason.allowance}, and needs ${reason.needed}`;
    case 'insufficient_balance':
      return `${reason.account} has ${reason.balance}, and needs ${reason.needed}`;
    case 'message':
      return `it says "${reason.message}"`;
    case 'panic':
      return `it failed with panic code ${reason.code}`;
    case 'permit_expired':
      return `the deadline ${moment(reason.deadline)} has passed`;
    case 'permit_signer':
      return `${reason.signer} signed for ${reason.owner}`;
    case 'returned_false':
      return 'it answered false';
    case 'out_of_gas':
      return `it used up ${reason.given} gas`;
    case 'silent':
      return 'it gave no reason';
    case 'other':
      return `it gave ${reason.data}`;
    default:
      return unknownCase(reason, 'token reason');
  }
}
