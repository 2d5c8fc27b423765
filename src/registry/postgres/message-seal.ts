import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** Encrypts and authenticates messages with a key. Every user of a database can listen to its notifications and send some. */
export interface MessageSeal {
  /** Returns a message as base64. */
  close(message: string): string;
  /** Returns the message; `undefined` for one that this key did not seal. */
  open(sealed: string): string | undefined;
}

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/** Creates the seal of a key, a secret text of any length. */
export function createMessageSeal(secret: string): MessageSeal {
  const key = createHash("sha256").update(secret).digest();
  return {
    close(message) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes });
      const content = Buffer.concat([cipher.update(message, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), content]).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      if (bytes.length < ivBytes + tagBytes) return undefined;
      const iv = bytes.subarray(0, ivBytes);
      const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      try {
        const content = decipher.update(bytes.subarray(ivBytes + tagBytes));
        return Buffer.concat([content, decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
