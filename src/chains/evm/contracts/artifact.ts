/** Where an immutable of a contract lies in its code: byte offsets, and always 32 bytes long. */
export type ImmutableReferences = Readonly<
  Record<string, readonly { readonly start: number; readonly length: number }[]>
>;

/**
 * One compiled contract, as `npm run contracts -- compile` writes it below `artifacts/`. `bytecode` creates it (its
 * constructor's arguments are appended), `deployedBytecode` is what stands at its address once the immutables, zeros
 * here, are filled in at `immutableReferences`, which names them as the source does.
 */
export type Artifact = {
  readonly contractName: string;
  readonly sourceName: string;
  /** SHA-256 over all sources of the compilation and its settings. */
  readonly sourceHash: string;
  readonly compiler: { readonly version: string; readonly settings: Readonly<Record<string, unknown>> };
  readonly abi: readonly Readonly<Record<string, unknown>>[];
  readonly bytecode: string;
  readonly deployedBytecode: string;
  readonly immutableReferences: ImmutableReferences;
};
