import { concat, keccak256 } from 'ethers';
import { remembered } from './names.ts';

const CLONE_BEFORE = '0x363d3d373d3d3d363d73';
const CLONE_AFTER = '0x5af43d82803e903d91602b57fd5bf3';
const CLONE_MAKER = '0x3d602d80600a3d3981f3';

/** The addresses of the clones of one implementation (EIP-1167, EIP-1014), and their code. */
export class Clones {
  readonly implementation: string;
  /** Without 0x. */
  readonly #router: string;
  readonly #codeHash: string;
  readonly #known = new Map<string, string>();

  constructor(router: string, implementation: string) {
    this.implementation = implementation.toLowerCase();
    this.#router = router.slice(2);
    const hash = (): string => keccak256(concat([CLONE_MAKER, this.code]));
    this.#codeHash = remembered(`clones of ${implementation}`, hash).slice(2);
  }

  /** 0x-hex. */
  get code(): string {
    return concat([CLONE_BEFORE, this.implementation, CLONE_AFTER]);
  }

  at(salt: string): string {
    const known = this.#known.get(salt);
    if (known !== undefined) return known;
    const made = `0x${keccak256(`0xff${this.#router}${salt.slice(2)}${this.#codeHash}`).slice(26)}`;
    this.#known.set(salt, made);
    return made;
  }
}
