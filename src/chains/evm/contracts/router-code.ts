import { zeroPadValue } from 'ethers';
import { getAddress } from '../address.ts';
import type { Artifact } from './artifact.ts';
import depositBefore from './artifacts/before-mandates/DepositForwarder.json' with { type: 'json' };
import operatorBefore from './artifacts/before-mandates/Operator.json' with { type: 'json' };
import routerBefore from './artifacts/before-mandates/Router.json' with { type: 'json' };
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

/** The code of the operators' implementation that the router at `address` has made. */
function expectedOperatorCode(address: string): string {
  return fillImmutables(operator, { router: address });
}

/** The code of the deposit forwarders' implementation that the router at `address` has made. */
function expectedDepositCode(address: string): string {
  return fillImmutables(depositForwarder, { router: address });
}

/** The code of the mandate operators' implementation that the router at `address` has made. */
function expectedMandateOperatorCode(address: string): string {
  return fillImmutables(mandateOperator, { router: address });
}

/** What the code at a router's address says. `hasMandates` false: the router is of the version before mandates. */
export type FoundRouter = { readonly trouble: string } | { readonly trouble: null; readonly hasMandates: boolean };

/**
 * Checks the code of the router and of the contracts that its clones forward to. A chain is enabled only if there is no trouble
 * (docs/rules.md, "Operators, consent, allowances").
 *
 * @param getCode calls `eth_getCode` for an address
 * @returns the version, if all codes are of one version of this repository; else one sentence that names the one that is not
 * @throws the errors of `getCode`: a node that does not answer says nothing about the code
 */
export async function findRouter(getCode: (address: string) => Promise<string>, address: string): Promise<FoundRouter> {
  const { present, before } = versionsOf(address);
  const codes = await Promise.all(present.map(async ({ at }) => (await getCode(at)).toLowerCase()));
  const hasMandates = codes[0] !== before[0]?.expected;
  const trouble = troubleOf(hasMandates ? present : before, codes);
  return trouble === null ? { trouble, hasMandates } : { trouble };
}

/** As `findRouter`, but a router of an earlier version is a trouble too. Null: there is none. */
export async function routerTrouble(
  getCode: (address: string) => Promise<string>,
  address: string,
): Promise<string | null> {
  const found = await findRouter(getCode, address);
  if (found.trouble !== null) return found.trouble;
  return found.hasMandates ? null : `The code at ${address} is the code of a router without mandates`;
}

interface Part {
  readonly name: string;
  readonly at: string;
  readonly expected: string;
}

function troubleOf(parts: readonly Part[], codes: readonly string[]): string | null {
  for (const [index, part] of parts.entries()) {
    const code = codes[index] ?? '0x';
    if (code === '0x') return `There is no contract at ${part.at}, where the ${part.name} is expected`;
    if (code !== part.expected) return `The code at ${part.at} is not the code of the ${part.name} of this version`;
  }
  return null;
}

/** The contracts of a router in each version; the first is the router itself. */
interface Versions {
  readonly present: readonly Part[];
  /** The first ones of `present`, with the code of before mandates. */
  readonly before: readonly Part[];
}

/**
 * The expected code of each address, computed once. A check runs each time a node comes back, and the computing takes longer
 * than the check.
 */
const known = new Map<string, Versions>();

function versionsOf(address: string): Versions {
  const found = known.get(address);
  if (found) return found;
  const made = implementationAddresses(address);
  const [routerPart, operatorPart, depositPart] = [
    { name: 'router', at: getAddress(address) },
    { name: "operators' implementation", at: made.operator },
    { name: "deposit forwarders' implementation", at: made.deposit },
  ];
  const immutables = { operatorImplementation: made.operator, depositImplementation: made.deposit };
  const versions = {
    present: [
      { ...routerPart, expected: expectedRouterCode(address) },
      { ...operatorPart, expected: expectedOperatorCode(address) },
      { ...depositPart, expected: expectedDepositCode(address) },
      {
        name: "mandate operators' implementation",
        at: made.mandate,
        expected: expectedMandateOperatorCode(address),
      },
    ],
    before: [
      { ...routerPart, expected: fillImmutables(routerBefore, immutables) },
      { ...operatorPart, expected: fillImmutables(operatorBefore, { router: address }) },
      { ...depositPart, expected: fillImmutables(depositBefore, { router: address }) },
    ],
  };
  known.set(address, versions);
  return versions;
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
