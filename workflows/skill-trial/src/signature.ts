import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { readText, shown } from './document.js';
import { SettingsError } from './errors.js';

/** <file>.sig: an Ed25519 signature over the SHA-256 of a file, apart from it. It says who published the file, not that it is true. */
export const Signature = z.strictObject({
  schemaVersion: z.literal(1),
  algorithm: z.literal('ed25519-over-sha256'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Base64. */
  signature: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
});
export type Signature = z.infer<typeof Signature>;

/** SHA-256 of a file of any size. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Signs a file with a private key (PEM, PKCS #8; `openssl genpkey -algorithm ed25519` makes one). */
export async function signFile(file: string, keyFile: string): Promise<Signature> {
  const key = await readKey(keyFile, 'private', createPrivateKey);
  const hash = await hashFile(file);
  const signature = sign(null, Buffer.from(hash, 'hex'), key).toString('base64');
  return { schemaVersion: 1, algorithm: 'ed25519-over-sha256', sha256: hash, signature };
}

/** Whether a file is the one that the owner of a public key (PEM) signed. */
export async function isSigned(file: string, { signature }: Signature, keyFile: string): Promise<boolean> {
  const key = await readKey(keyFile, 'public', createPublicKey);
  return verify(null, Buffer.from(await hashFile(file), 'hex'), key, Buffer.from(signature, 'base64'));
}

async function readKey(file: string, kind: 'private' | 'public', read: (pem: string) => KeyObject): Promise<KeyObject> {
  const pem = await readText(file, `${kind} key`);
  const wrong = (found: string) =>
    new SettingsError(`${shown(file)} is no key to use`, {
      expected: `an Ed25519 ${kind} key in PEM`,
      found,
      next: 'make one: openssl genpkey -algorithm ed25519 -out key.pem; openssl pkey -in key.pem -pubout -out public.pem',
    });
  let key: KeyObject;
  try {
    key = read(pem);
  } catch {
    throw wrong('no such key in the file');
  }
  if (key.asymmetricKeyType !== 'ed25519') throw wrong(`a key of type ${key.asymmetricKeyType}`);
  return key;
}
