import { randomBytes } from 'node:crypto';
import type { Catalog, CatalogChain } from '../../chains/catalog.ts';
import type { Chains } from '../../chains/port.ts';
import { isSignedBy, type SignedText } from '../../chains/signatures.ts';
import { invalid } from '../../errors/fault.ts';
import { familyOfAddress, requireAddress } from '../../model/addresses.ts';
import type { OpenedSession } from '../../model/secrets.ts';
import { nonceIn, signInText } from '../../model/sign-in-text.ts';
import type { ChainFamily, PortalChallengeDoc, PortalSubject } from '../../store/collections.ts';
import { openPortalSession, type SessionsDeps } from './sessions.ts';

/** How long a text can be signed and used. */
const CHALLENGE_MS = 10 * 60_000;

const NONCE_BYTES = 16;

const STATEMENT = 'I sign in to see and end my subscriptions. This moves no money and approves no charge.';

export interface SignInDeps extends SessionsDeps {
  readonly catalog: Catalog;
  readonly chains: Chains;
}

export interface PortalChallenge {
  readonly message: string;
  readonly expiresAt: Date;
}

/** A text and its signature, as submitted. */
export interface SignedIn {
  readonly message: string;
  readonly signature: string;
}

/** The chains of this installation on which wallets pay. */
export function portalChains({ catalog, chains }: Pick<SignInDeps, 'catalog' | 'chains'>): CatalogChain[] {
  return catalog.chains.filter(({ chainId }) => chains.get(chainId)?.enabled === true);
}

/**
 * Creates a text with which this wallet can sign in, once within ten minutes. `chainId`: of the wallet; null: any.
 * Throws 400 for text that is not an address, and for a chain that is not the wallet's or not of this installation.
 */
export async function challengeWallet(
  deps: SignInDeps,
  { address, chainId }: { readonly address: string; readonly chainId: number | null },
  publicUrl: string,
): Promise<PortalChallenge> {
  const family = familyOfAddress(address);
  if (family === null) {
    throw invalid(
      'address must be an EVM address (in mixed case with a valid EIP-55 checksum) or a Solana address (base58)',
    );
  }
  const wallet = requireAddress(family, address, 'address');
  const chain = chainFor(deps, family, chainId);
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  const createdAt = deps.clock();
  const expiresAt = new Date(createdAt.getTime() + CHALLENGE_MS);
  const framing = { publicUrl, path: '/portal', statement: STATEMENT, nonce, issuedAt: createdAt, expiresAt };
  const message = signInText({ ...framing, family, wallet, chainId: chain.chainId });
  const doc: PortalChallengeDoc = {
    _id: nonce,
    ...{ family, wallet, chainId: chain.chainId, message, createdAt, expiresAt },
  };
  await deps.store.records.insert('portalChallenges', [doc]);
  return { message, expiresAt };
}

function chainFor(deps: SignInDeps, family: ChainFamily, chainId: number | null): CatalogChain {
  const possible = portalChains(deps).filter((chain) => chain.family === family);
  const chain = chainId === null ? possible[0] : possible.find((each) => each.chainId === chainId);
  if (chain !== undefined) return chain;
  const expected = possible.map((each) => each.chainId).join(', ');
  throw invalid(
    expected === ''
      ? 'address is of a chain family that this service does not charge'
      : `chainId must be one of ${expected}`,
  );
}

/**
 * Opens a session for the wallet that has signed, and uses its text up. Throws 400 if the text is not exactly one that
 * was given out and not used since, if it has expired, and if the signature is not the wallet's.
 */
export async function signInWallet(deps: SignInDeps, { message, signature }: SignedIn): Promise<OpenedSession> {
  const challenge = await givenOut(deps, message);
  if (challenge.expiresAt <= deps.clock()) throw invalid('message has expired; ask for a new challenge');
  const subject = await signerOf(deps, challenge, signature);
  if (subject === null) throw invalid('signature must be by the wallet in message, for this message');
  // Of simultaneous requests, one removes the document.
  if ((await deps.store.records.remove('portalChallenges', [challenge._id])) !== 1) throw notGivenOut();
  return openPortalSession(deps, subject);
}

/** null: the wallet has not signed. */
async function signerOf(
  { chains }: SignInDeps,
  { family, wallet, chainId, message }: PortalChallengeDoc,
  signature: string,
): Promise<PortalSubject | null> {
  const signed: SignedText = { family, wallet, message, signature };
  if (await isSignedBy(signed, NO_CONTRACTS)) return { kind: 'wallet', family, wallet, chainId: null };
  const chain = chains.get(chainId);
  if (chain === undefined || !(await isSignedBy(signed, chain))) return null;
  return { kind: 'wallet', family, wallet, chainId };
}

const NO_CONTRACTS = { acceptsSignature: async () => false } as const;

async function givenOut({ store }: SignInDeps, message: string): Promise<PortalChallengeDoc> {
  const nonce = nonceIn(message);
  const [challenge] = nonce === null ? [] : await store.records.get('portalChallenges', [nonce]);
  if (challenge === undefined || challenge.message !== message) throw notGivenOut();
  return challenge;
}

function notGivenOut() {
  return invalid(
    'message is not a sign-in of this service, or was used before; ask for a new challenge and sign it unchanged',
  );
}
