import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Trail } from '../../domain/audit.ts';

/** A key that signs entries and makes seals. It is never stored in Redis. */
export interface AuditKey {
  /** Identifies the key without revealing it. */
  readonly name: string;
  readonly secret: Buffer;
}

/** Derives the keys of the audit from the encryption keys: the first one signs, all verify. */
export function deriveAuditKeys(encryptionKeys: readonly Buffer[]): AuditKey[] {
  const derive = (key: Buffer, purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', key, '', `proofdesk audit ${purpose}`, length));
  return encryptionKeys.map((key) => ({
    name: derive(key, 'key name', 6).toString('base64url'),
    secret: derive(key, 'signature', 32),
  }));
}

/** Returns the HMAC of texts, delimited so that they cannot run into each other. */
export function hmac({ secret }: AuditKey, ...texts: readonly string[]): Buffer {
  return createHmac('sha256', secret).update(JSON.stringify(texts)).digest();
}

export function nameOfTrail({ workspace, account }: Trail): string {
  return account === undefined ? workspace : `${workspace}/${account}`;
}

/** 6 bytes that make an entry unique, and 15 of its signature, in base64. */
const nonceLength = 8;
const signatureLength = 20;
const signed = /,"sig":"([\w-]{8})([\w-]{20})"\}$/u;

/** Returns an entry's text with its signature as the last field. */
export function sign(key: AuditKey, trail: Trail, text: string): string {
  const nonce = randomBytes(6).toString('base64url');
  return `${text.slice(0, -1)},"sig":"${nonce}${signatureOf(key, trail, nonce, text)}"}`;
}

function signatureOf(key: AuditKey, trail: Trail, nonce: string, text: string): string {
  return hmac(key, 'entry', nameOfTrail(trail), nonce, text).toString('base64url').slice(0, signatureLength);
}

/**
 * Returns how an entry is signed: by one of the keys, with its nonce · `unsigned`, as entries were before signatures existed
 * · `wrong`: it was changed, belongs to another trail, or its key is unknown.
 */
export function checkSignature(
  keys: readonly AuditKey[],
  trail: Trail,
  text: string,
): { readonly nonce: string } | 'unsigned' | 'wrong' {
  const [whole, nonce = '', signature = ''] = signed.exec(text) ?? [];
  if (whole === undefined) return text.includes('"sig"') ? 'wrong' : 'unsigned';
  const original = `${text.slice(0, -whole.length)}}`;
  const isRight = keys.some((key) =>
    timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(key, trail, nonce, original))),
  );
  return isRight && nonce.length === nonceLength ? { nonce } : 'wrong';
}
