/** The offsets of each immutable in a contract's code, in bytes; each is 32 bytes long. */
type ImmutableReferences = Readonly<Record<string, readonly { readonly start: number; readonly length: number }[]>>;

/**
 * One compiled contract, as `npm run ops -- contracts compile` writes it below `artifacts/`. `bytecode` creates the
 * contract, with the constructor's arguments appended. `deployedBytecode` is the code at the contract's address, with
 * zeros instead of immutables. `immutableReferences` has their offsets, by the names in the source.
 */
export type Artifact = {
  readonly contractName: string;
  readonly sourceName: string;
  /** SHA-256 of all sources of the compilation and its settings. */
  readonly sourceHash: string;
  readonly compiler: { readonly version: string; readonly settings: Readonly<Record<string, unknown>> };
  readonly abi: readonly Readonly<Record<string, unknown>>[];
  readonly bytecode: string;
  readonly deployedBytecode: string;
  readonly immutableReferences: ImmutableReferences;
};
