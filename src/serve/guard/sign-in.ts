import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Decides who may use the server: holders of the token, and browsers that signed in with a one-time code. */
export interface SignIn {
  /** Reports whether `given` is the token. */
  isToken(given: string): boolean;
  /** Creates a code that signs in one browser. The code is valid for ten minutes. */
  createCode(): string;
  /** Exchanges a code for the value of a session cookie; `undefined` for an unknown, used or expired code. */
  redeem(code: string): string | undefined;
  /** Reports whether a cookie has the value of a valid session. */
  isSession(cookie: string): boolean;
}

const codeMs = 10 * 60 * 1000;
const maxCodes = 100;
/** The lifetime of a session, in milliseconds: a week. */
export const sessionMs: number = 7 * 24 * 60 * 60 * 1000;

/**
 * Creates the check of a server's secrets. Session cookies are signed with the token, so they stay valid when the server restarts with
 * the same token.
 */
export function createSignIn(token: string): SignIn {
  /** The expiry times of the codes, oldest first. */
  const codes = new Map<string, number>();
  const sign = (text: string): string => createHmac("sha256", token).update(text).digest("hex");
  return {
    isToken: (given) => isSame(sign(given), sign(token)),
    createCode() {
      const [oldest] = codes.keys();
      if (codes.size >= maxCodes && oldest !== undefined) codes.delete(oldest);
      const code = randomBytes(24).toString("base64url");
      codes.set(code, Date.now() + codeMs);
      return code;
    },
    redeem(code) {
      const end = codes.get(code);
      codes.delete(code);
      if (end === undefined || end < Date.now()) return undefined;
      const session = `${Date.now() + sessionMs}.${randomBytes(16).toString("hex")}`;
      return `${session}.${sign(session)}`;
    },
    isSession(cookie) {
      const [, session = "", signature = ""] = /^(\d+\.[0-9a-f]+)\.([0-9a-f]+)$/.exec(cookie) ?? [];
      return isSame(sign(session), signature) && Number(session.split(".")[0]) > Date.now();
    },
  };
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
