import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const USER_PRESENT_AND_VERIFIED = 0x05;
const NEW_CREDENTIAL = 0x40;
const ES256_KEY = Buffer.from('a5010203262001215820', 'hex');

/** A passkey in memory: it answers the challenges of the dashboard as a browser with an authenticator does. */
export function openAuthenticator({ host, origin }: { readonly host: string; readonly origin: string }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rawId = randomBytes(16);
  const id = rawId.toString('base64url');
  const envelope = { id, rawId: id, type: 'public-key' };
  const clientData = (type: string, challenge: string) => Buffer.from(JSON.stringify({ type, challenge, origin }));
  const authenticatorData = (flags: number, rest = Buffer.alloc(0)) =>
    Buffer.concat([sha256(Buffer.from(host)), Buffer.from([flags, 0, 0, 0, 0]), rest]);
  return {
    /** The answer to the options for a new passkey. */
    make: (challenge: string) => {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const [across, up] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
      const key = Buffer.concat([ES256_KEY, across, Buffer.from('225820', 'hex'), up]);
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, rawId.length]), rawId, key]);
      const data = authenticatorData(USER_PRESENT_AND_VERIFIED + NEW_CREDENTIAL, credential);
      // CBOR: { fmt: 'none', attStmt: {}, authData: <bytes> }.
      const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex');
      const attestationObject = Buffer.concat([head, Buffer.from([data.length]), data]).toString('base64url');
      const clientDataJSON = clientData('webauthn.create', challenge).toString('base64url');
      return { ...envelope, response: { clientDataJSON, attestationObject } };
    },
    /** The answer to the options for a sign-in or a proof. */
    answer: (challenge: string, memberId: string) => {
      const client = clientData('webauthn.get', challenge);
      const data = authenticatorData(USER_PRESENT_AND_VERIFIED);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: Buffer.from(memberId).toString('base64url'),
      };
      return { ...envelope, response };
    },
  };
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
