import type { ChargeRefusal } from '../../../store/collections.ts';
import { inWords, MANDATE_WORDS, moment, type Words } from '../../mandate-words.ts';
import type { Reason, TokenReason } from './reasons.ts';

/** The kind and the words for staff. */
export function refusalOf(reason: Reason): ChargeRefusal {
  return { kind: reason.kind, text: inWords(ROUTER_WORDS, reason) };
}

const TOKEN_WORDS: Words<TokenReason> = {
  insufficient_allowance: ({ spender, allowance, needed }) =>
    `${spender} has an allowance of ${allowance}, and needs ${needed}`,
  insufficient_balance: ({ account, balance, needed }) => `${account} has ${balance}, and needs ${needed}`,
  message: ({ message }) => `it says "${message}"`,
  panic: ({ code }) => `it failed with panic code ${code}`,
  permit_expired: ({ deadline }) => `the deadline ${moment(deadline)} has passed`,
  permit_signer: ({ signer, owner }) => `${signer} signed for ${owner}`,
  returned_false: () => 'it answered false',
  out_of_gas: ({ given }) => `it used up ${given} gas`,
  silent: () => 'it gave no reason',
  other: ({ data }) => `it gave ${data}`,
};

const ROUTER_WORDS: Words<Reason> = {
  ...MANDATE_WORDS,
  seen: ({ key }) => `the key ${key} was charged before`,
  pull_failed: ({ inner }) => `the token did not move the amount to the router: ${inWords(TOKEN_WORDS, inner)}`,
  share_pull_failed: ({ index, inner }) =>
    `the token did not move share ${index + 1} from the payer to its recipient: ${inWords(TOKEN_WORDS, inner)}`,
  share_failed: ({ index, inner }) =>
    `the token did not move share ${index + 1} to its recipient: ${inWords(TOKEN_WORDS, inner)}`,
  balance_failed: ({ inner }) => `the token gives no balance: ${inWords(TOKEN_WORDS, inner)}`,
  refund_failed: ({ inner }) => `the refund was refused: ${inWords(TOKEN_WORDS, inner)}`,
  permit_failed: ({ value, allowance, inner }) =>
    `the token did not take the permit for ${value}, and the allowance is ${allowance}: ${inWords(TOKEN_WORDS, inner)}`,
  arrival_mismatch: ({ arrived, expected }) => `${arrived} arrived instead of ${expected}`,
  residue: ({ balance, expected }) => `the router would keep tokens: it would have ${balance} instead of ${expected}`,
  out_of_gas: ({ given }) => `the charge used up its ${given} gas`,
  gas_too_low: ({ available, required }) =>
    `the transaction has ${available} gas left, and the charge needs ${required}`,
  not_a_token: ({ token }) => `no contract is at the token's address ${token}`,
  zero_gross: () => 'the amount is zero',
  shares_uneven: ({ recipients, amounts }) => `there are ${recipients} recipients and ${amounts} amounts`,
  too_many_shares: ({ attempted, allowed }) => `there are ${attempted} shares, and ${allowed} are allowed`,
  shares_mismatch: ({ sum, gross }) => `the shares add up to ${sum} instead of ${gross}`,
  bad_recipient: ({ index, recipient }) => `share ${index + 1} would go to ${recipient}, where it would be lost`,
  zero_refund: () => 'the refund is zero',
  not_sender: ({ caller }) => `${caller} is not a sender of the router`,
  not_owner: ({ caller }) => `${caller} is not the owner of the router`,
  not_guardian: ({ caller }) => `${caller} is not the guardian of the router`,
  not_self: ({ caller }) => `${caller} is not the router`,
  paused: () => 'the router is paused',
  not_paused: () => 'the router is not paused',
  reentered: () => 'the token called the router back',
  owner_required: () => 'the router needs an owner',
  bad_owner: ({ owner }) => `${owner} cannot own the router`,
  bad_sender: ({ sender }) => `${sender} cannot be a sender`,
  not_announced: ({ payee }) => `${payee} is not announced`,
  bad_payee: ({ payee }) => `${payee} cannot be paid`,
  gas_budget_too_low: ({ base, perShare }) => `the gas budget ${base} + ${perShare} a share is too low`,
  unknown: ({ data }) => `the router gave ${data === '0x' ? 'no reason' : data}`,
};
