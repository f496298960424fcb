import { getAddress, id, TypedDataEncoder } from 'ethers';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { permitInterface } from '../../../src/chains/evm/permits/eip2612.ts';
import { TRANSFER_TOPIC } from '../../../src/chains/evm/reader/charges.ts';
import { address, word } from '../../../src/chains/evm/words.ts';
import { PERMIT_FIELDS } from '../../../src/chains/permit-fields.ts';
import { CallData, namesOf } from './call-data.ts';
import type { Contract, Message, Run } from './machine.ts';
import { Revert, tokenError } from './revert.ts';
import { HALF_ORDER, recovered } from './signatures.ts';
import type { SimToken } from './world.ts';

const NAMES = namesOf(testTokenInterface);
const UNLIMITED = 2n ** 256n - 1n;
const NOBODY = `0x${'0'.repeat(40)}`;
const YES = `0x${word(1n)}`;
const NO = `0x${word(0n)}`;

const APPROVAL = id('Approval(address,address,uint256)');

/** The names of a token's cells. */
export const balanceCell = (token: string, wallet: string): string => `${token}:balance:${wallet}`;
export const allowanceCell = (token: string, wallet: string, spender: string): string =>
  `${token}:allowance:${wallet}:${spender}`;
const nonceCell = (token: string, wallet: string): string => `${token}:nonce:${wallet}`;
const frozenCell = (token: string, wallet: string): string => `${token}:frozen:${wallet}`;
const refusingCell = (token: string, wallet: string): string => `${token}:refusing:${wallet}`;
const supplyCell = (token: string): string => `${token}:supply`;

/** One function of a token. */
type TokenFunction = (run: Run, message: Message, data: CallData) => string;

/** `TestToken` of this repository; with a flaw, `FeeToken` or `FalseToken` of its tests, but with lists and permits. */
export function tokenContract(token: SimToken, chainId: number, owner: string): Contract {
  const made = new Token(token, chainId, owner.toLowerCase());
  return (run, message) => made.call(run, message);
}

class Token {
  readonly #token: SimToken;
  readonly #self: string;
  readonly #owner: string;
  readonly #domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: string;
  };
  readonly #functions: Readonly<Record<string, TokenFunction>>;

  constructor(token: SimToken, chainId: number, owner: string) {
    this.#token = token;
    this.#self = token.address.toLowerCase();
    this.#owner = owner;
    this.#domain = { name: `Test ${token.ticker}`, version: '1', chainId, verifyingContract: token.address };
    this.#functions = this.#table();
  }

  call(run: Run, message: Message): string {
    const work = this.#functions[NAMES.get(message.data.slice(0, 10)) ?? ''];
    if (work === undefined || message.value !== 0n) throw new Revert();
    return work(run, message, new CallData(message.data));
  }

  #table(): Readonly<Record<string, TokenFunction>> {
    const self = this.#self;
    const number = (value: bigint): string => `0x${word(value)}`;
    const constant = (name: string, value: unknown) => () => testTokenInterface.encodeFunctionResult(name, [value]);
    return {
      name: constant('name', this.#domain.name),
      symbol: constant('symbol', this.#token.ticker),
      decimals: constant('decimals', this.#token.decimals),
      owner: constant('owner', this.#owner),
      totalSupply: (run) => number(run.get(supplyCell(self))),
      balanceOf: (run, _, data) => number(run.get(balanceCell(self, data.address(0)))),
      allowance: (run, _, data) => number(run.get(allowanceCell(self, data.address(0), data.address(32)))),
      nonces: (run, _, data) => number(run.get(nonceCell(self, data.address(0)))),
      frozen: (run, _, data) => number(run.get(frozenCell(self, data.address(0)))),
      refusing: (run, _, data) => number(run.get(refusingCell(self, data.address(0)))),
      DOMAIN_SEPARATOR: () => TypedDataEncoder.hashDomain(this.#domain),
      eip712Domain: () => this.#stated(),
      transfer: (run, { from }, data) => this.#transfer(run, from, data.address(0), data.number(32)),
      transferFrom: (run, { from }, data) => this.#transferFrom(run, from, data),
      approve: (run, { from }, data) => this.#approve(run, from, data.address(0), data.number(32)),
      permit: (run, _, data) => this.#permit(run, data),
      mint: (run, { from }, data) => this.#mint(run, from, data),
      setFrozen: (run, { from }, data) => this.#list(run, from, data, frozenCell, 'FrozenChanged'),
      setRefusing: (run, { from }, data) => this.#list(run, from, data, refusingCell, 'RefusingChanged'),
    };
  }

  #stated(): string {
    const { name, version, chainId, verifyingContract } = this.#domain;
    const values = ['0x0f', name, version, chainId, verifyingContract, `0x${word(0n)}`, []];
    return permitInterface.encodeFunctionResult('eip712Domain', values);
  }

  #transfer(run: Run, from: string, to: string, amount: bigint): string {
    if (this.#token.flaw === 'false' && run.get(balanceCell(this.#self, from)) < amount) return NO;
    this.#move(run, from, to, amount);
    return YES;
  }

  #transferFrom(run: Run, spender: string, data: CallData): string {
    const [from, to, amount] = [data.address(0), data.address(32), data.number(64)];
    const cell = allowanceCell(this.#self, from, spender);
    const allowed = run.get(cell);
    const has = run.get(balanceCell(this.#self, from));
    if (this.#token.flaw === 'false' && (allowed < amount || has < amount)) return NO;
    if (allowed < UNLIMITED) {
      if (allowed < amount) throw tokenError('ERC20InsufficientAllowance', spender, allowed, amount);
      if (from === NOBODY) throw tokenError('ERC20InvalidApprover', NOBODY);
      run.set(cell, allowed - amount);
    }
    this.#move(run, from, to, amount);
    return YES;
  }

  #move(run: Run, from: string, to: string, amount: bigint): void {
    if (from === NOBODY) throw tokenError('ERC20InvalidSender', NOBODY);
    if (to === NOBODY) throw tokenError('ERC20InvalidReceiver', NOBODY);
    if (this.#token.flaw === 'fee') {
      this.#update(run, from, NOBODY, amount / 100n);
      this.#update(run, from, to, amount - amount / 100n);
      return;
    }
    this.#update(run, from, to, amount);
  }

  #update(run: Run, from: string, to: string, amount: bigint): void {
    const self = this.#self;
    if (run.get(frozenCell(self, from)) !== 0n) throw tokenError('SenderFrozen', from);
    if (run.get(refusingCell(self, to)) !== 0n) throw tokenError('RecipientRefuses', to);
    if (from === NOBODY) run.set(supplyCell(self), run.get(supplyCell(self)) + amount);
    else {
      const has = run.get(balanceCell(self, from));
      if (has < amount) throw tokenError('ERC20InsufficientBalance', from, has, amount);
      run.set(balanceCell(self, from), has - amount);
    }
    if (to === NOBODY) run.set(supplyCell(self), run.get(supplyCell(self)) - amount);
    else run.set(balanceCell(self, to), run.get(balanceCell(self, to)) + amount);
    run.log(self, [TRANSFER_TOPIC, `0x${address(from)}`, `0x${address(to)}`], `0x${word(amount)}`);
  }

  #approve(run: Run, wallet: string, spender: string, amount: bigint): string {
    if (wallet === NOBODY) throw tokenError('ERC20InvalidApprover', NOBODY);
    if (spender === NOBODY) throw tokenError('ERC20InvalidSpender', NOBODY);
    run.set(allowanceCell(this.#self, wallet, spender), amount);
    run.log(this.#self, [APPROVAL, `0x${address(wallet)}`, `0x${address(spender)}`], `0x${word(amount)}`);
    return YES;
  }

  #permit(run: Run, data: CallData): string {
    const [owner, spender, value, deadline] = [data.address(0), data.address(32), data.number(64), data.number(96)];
    if (BigInt(run.block.timestamp) > deadline) throw tokenError('ERC2612ExpiredSignature', deadline);
    const cell = nonceCell(this.#self, owner);
    const nonce = run.get(cell);
    run.set(cell, nonce + 1n);
    const terms = { owner: getAddress(owner), spender: getAddress(spender), value, nonce, deadline };
    const digest = TypedDataEncoder.hash(this.#domain, { Permit: PERMIT_FIELDS.map((field) => ({ ...field })) }, terms);
    const signer = signerOf(digest, Number(data.number(128)), data.bytes32(160), data.bytes32(192));
    if (signer.toLowerCase() !== owner) throw tokenError('ERC2612InvalidSigner', signer, owner);
    this.#approve(run, owner, spender, value);
    return '0x';
  }

  #mint(run: Run, from: string, data: CallData): string {
    this.#mustOwn(from);
    const to = data.address(0);
    if (to === NOBODY) throw tokenError('ERC20InvalidReceiver', NOBODY);
    this.#update(run, NOBODY, to, data.number(32));
    return '0x';
  }

  #list(
    run: Run,
    from: string,
    data: CallData,
    cell: (token: string, wallet: string) => string,
    event: 'FrozenChanged' | 'RefusingChanged',
  ): string {
    this.#mustOwn(from);
    const [wallet, isOn] = [data.address(0), data.boolean(32)];
    run.set(cell(this.#self, wallet), isOn ? 1n : 0n);
    const log = testTokenInterface.encodeEventLog(event, [wallet, isOn]);
    run.log(this.#self, log.topics, log.data);
    return '0x';
  }

  #mustOwn(caller: string): void {
    if (caller !== this.#owner) throw tokenError('NotOwner', caller, this.#owner);
  }
}

/** The same checks as OpenZeppelin's `ECDSA.recover`. */
function signerOf(digest: string, v: number, r: string, s: string): string {
  if (BigInt(s) > HALF_ORDER) throw tokenError('ECDSAInvalidSignatureS', s);
  const signer = recovered(digest, v, r, s);
  if (signer === null) throw tokenError('ECDSAInvalidSignature');
  return signer;
}
