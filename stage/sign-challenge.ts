import type { TypedDataDomain, TypedDataField } from 'ethers';
import { z } from 'zod';

/** A challenge of the checkout API, as far as a wallet needs it. */
export const challengeSchema = z.looseObject({
  message: z.string(),
  typedData: z
    .looseObject({
      domain: z.looseObject({}),
      types: z.looseObject({ Mandate: z.array(z.strictObject({ name: z.string(), type: z.string() })) }),
      message: z.looseObject({}),
    })
    .nullable(),
});
export type SignableChallenge = z.output<typeof challengeSchema>;

/** The wallet of a page. */
export interface Signer {
  readonly address: string;
  signMessage(message: string): Promise<string>;
  signTypedData?(
    domain: TypedDataDomain,
    types: Record<string, TypedDataField[]>,
    message: Record<string, unknown>,
  ): Promise<string>;
}

/** Signs a challenge as a page does: its typed data, or its text where it has none. */
export function signChallenge(signer: Signer, { message, typedData }: SignableChallenge): Promise<string> {
  if (typedData === null || signer.signTypedData === undefined) return signer.signMessage(message);
  const { Mandate } = typedData.types;
  return signer.signTypedData(typedData.domain, { Mandate }, typedData.message);
}
