import { zeroPadValue } from 'ethers';
import { remembered } from '../../remembered.ts';
import { getAddress } from '../address.ts';
import type { Artifact } from './artifact.ts';
import depositForwarder from './artifacts/DepositForwarder.json' with { type: 'json' };
import mandateOperator from './artifacts/MandateOperator.json' with { type: 'json' };
import operator from './artifacts/Operator.json' with { type: 'json' };
import router from './artifacts/Router.json' with { type: 'json' };
import { implementationAddresses } from './router.ts';

/** The code (0x-hex, lower case) that `address` has if it is this repository's router. */
export function expectedRouterCode(address: string): string {
  const made = implementationAddresses(address);
  return fillImmutables(router, {
    operatorImplementation: made.operator,
    depositImplementation: made.deposit,
    mandateImplementation: made.mandate,
  });
}

/**
 * Checks the code of the router and of the contracts that its clones forward to. A chain is enabled only if there is no
 * trouble (docs/rules.md, "Operators, consent, allowances").
 *
 * @param getCode calls `eth_getCode` for an address
 * @returns one sentence that names the contract that is not the one of this version; null: all are
 * @throws the errors of `getCode`: a node that does not answer says nothing about the code
 */
export async function routerTrouble(
  getCode: (address: string) => Promise<string>,
  address: string,
): Promise<string | null> {
  const parts = remembered(known, address, partsOf);
  const codes = await Promise.all(parts.map(async ({ at }) => (await getCode(at)).toLowerCase()));
  for (const [index, part] of parts.entries()) {
    const code = codes[index] ?? '0x';
    if (code === '0x') return `There is no contract at ${part.at}, where the ${part.name} is expected`;
    if (code !== part.expected) return `The code at ${part.at} is not the code of the ${part.name} of this version`;
  }
  return null;
}

interface Part {
  readonly name: string;
  readonly at: string;
  readonly expected: string;
}

/** The contracts of a router, computed once: each return of a node checks them, and computing takes longer. */
const known = new Map<string, readonly Part[]>();

/** The router, and what it has made for its clones to forward to. */
function partsOf(address: string): readonly Part[] {
  const made = implementationAddresses(address);
  const codeOf = (artifact: Code) => fillImmutables(artifact, { router: address });
  return [
    { name: 'router', at: getAddress(address), expected: expectedRouterCode(address) },
    { name: "operators' implementation", at: made.operator, expected: codeOf(operator) },
    { name: "deposit forwarders' implementation", at: made.deposit, expected: codeOf(depositForwarder) },
    { name: "mandate operators' implementation", at: made.mandate, expected: codeOf(mandateOperator) },
  ];
}

type Code = Pick<Artifact, 'contractName' | 'deployedBytecode'> & {
  readonly immutableReferences: Readonly<Record<string, readonly { start: number; length: number }[]>>;
};

function fillImmutables(artifact: Code, addresses: Readonly<Record<string, string>>): string {
  const code = Buffer.from(artifact.deployedBytecode.slice(2), 'hex');
  for (const [name, references] of Object.entries(artifact.immutableReferences)) {
    const address = addresses[name];
    if (address === undefined)
      throw new Error(`${artifact.contractName} has an immutable ${name}, and no address is given for it`);
    for (const { start, length } of references) {
      code.write(zeroPadValue(getAddress(address), length).slice(2), start, length, 'hex');
    }
  }
  return `0x${code.toString('hex')}`;
}
