/** A JSON-RPC error with the codes of Solana's own nodes. */
export class RpcFault extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcFault';
    this.code = code;
    this.data = data;
  }
}

export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflight: -32002,
  signature: -32003,
  blockNotAvailable: -32004,
  transactionVersion: -32015,
  minContextSlot: -32016,
} as const;

/** Throws the error of an invalid parameter. */
export function invalidParams(what: string): never {
  throw new RpcFault(rpcCodes.invalidParams, `Invalid params: ${what}`);
}
