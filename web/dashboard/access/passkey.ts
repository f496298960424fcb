/** Asks for a passkey of this site, to sign in. The answer goes to the service as it is. Throws if the user refuses. */
export async function askPasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<object> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey }).catch(refused);
  if (!(credential instanceof PublicKeyCredential)) throw noPasskey();
  return credential.toJSON();
}

/** Makes a passkey on this device. The answer goes to the service as it is. Throws if the user refuses. */
export async function makePasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<object> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey }).catch(refused);
  if (!(credential instanceof PublicKeyCredential)) throw noPasskey();
  return credential.toJSON();
}

function refused(error: unknown): never {
  if (error instanceof DOMException && error.name === 'NotAllowedError') throw noPasskey();
  if (error instanceof DOMException && error.name === 'InvalidStateError') {
    throw new Error('This device has a passkey for you already.');
  }
  throw error;
}

function noPasskey(): Error {
  return new Error('The browser gave no passkey. Try again, or sign in with a link.');
}
