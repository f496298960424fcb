import { TypedDataEncoder, type TypedDataField } from 'ethers';
import type { MandateTerms } from '../../mandate-rules.ts';
import { getAddress } from '../address.ts';
import { address, bytes, bytes32, count, word } from '../words.ts';

/** What a payer signs, for the router (`Mandates.sol`). `merchant`, `agreement` and `terms` are 32 bytes in hex. */
export interface Mandate extends MandateTerms {
  readonly merchant: string;
  readonly token: string;
  readonly terms: string;
}

/** A charge under a mandate. `signature` (0x-hex) is read for the first one only; `0x` saves gas after that. */
export interface MandateCharge {
  readonly mandate: Mandate;
  readonly signature: string;
  /** The number of the charge within its agreement, from 1: each is charged once. */
  readonly cycle: number;
  readonly to: readonly string[];
  readonly amounts: readonly bigint[];
}

const FIELDS: readonly TypedDataField[] = [
  { name: 'payer', type: 'address' },
  { name: 'merchant', type: 'bytes32' },
  { name: 'token', type: 'address' },
  { name: 'perCharge', type: 'uint256' },
  { name: 'charges', type: 'uint32' },
  { name: 'interval', type: 'uint32' },
  { name: 'months', type: 'uint16' },
  { name: 'start', type: 'uint40' },
  { name: 'end', type: 'uint40' },
  { name: 'issuedAt', type: 'uint40' },
  { name: 'platform', type: 'address' },
  { name: 'feeBps', type: 'uint16' },
  { name: 'payees', type: 'address[]' },
  { name: 'agreement', type: 'bytes32' },
  { name: 'terms', type: 'bytes32' },
];
const LIMITED_FIELDS: readonly TypedDataField[] = [...FIELDS, { name: 'per30Days', type: 'uint256' }];

/** The EIP-712 typed data that a wallet shows and signs. A mandate without a limit of 30 days has no field for it. */
export function mandateTypedData(chainId: number, router: string, mandate: Mandate) {
  const domain = { name: 'Tideline', version: '1', chainId, verifyingContract: getAddress(router) };
  const fields = mandate.per30Days === undefined ? FIELDS : LIMITED_FIELDS;
  return { domain, types: { Mandate: [...fields] }, primaryType: 'Mandate' as const, message: mandate };
}

/** The hash that a payer signs. It names the mandate. */
export function mandateHash(chainId: number, router: string, mandate: Mandate): string {
  const { domain, types, message } = mandateTypedData(chainId, router, mandate);
  return TypedDataEncoder.hash(domain, types, message);
}

/** The words of one `MandateCharge`, for `encodeChargeMany`. */
export function mandateChargeWords({ mandate, signature, cycle, to, amounts }: MandateCharge): string {
  const parts = [
    mandateWords(mandate),
    bytes(signature),
    count(to.length) + to.map(address).join(''),
    count(amounts.length) + amounts.map(word).join(''),
  ];
  let offset = 5 * 32;
  const offsets = parts.map((part) => {
    const begin = count(offset);
    offset += part.length / 2;
    return begin;
  });
  const [mandateAt = '', signatureAt = '', toAt = '', amountsAt = ''] = offsets;
  return mandateAt + signatureAt + count(cycle) + toAt + amountsAt + parts.join('');
}

function mandateWords(mandate: Mandate): string {
  return (
    address(mandate.payer) +
    bytes32(mandate.merchant) +
    address(mandate.token) +
    word(mandate.perCharge) +
    count(mandate.charges) +
    count(mandate.interval) +
    count(mandate.months) +
    count(mandate.start) +
    count(mandate.end) +
    count(mandate.issuedAt) +
    address(mandate.platform) +
    count(mandate.feeBps) +
    count(16 * 32) +
    bytes32(mandate.agreement) +
    bytes32(mandate.terms) +
    word(mandate.per30Days ?? 0n) +
    count(mandate.payees.length) +
    mandate.payees.map(address).join('')
  );
}
