// Access to the server: allowed addresses, the token, and browsers that signed in.

import { isIP } from "node:net";
import type { Cadre } from "../../host.ts";
import { ServerProblem } from "../http/problem.ts";
import type { SignIn } from "./sign-in.ts";

/** Options of {@link admitAddress} and {@link admitUser}. */
export interface ServeAdmission {
  signIn: SignIn;
  /** The host names, besides IP addresses, by which clients may address the server. */
  hosts: ReadonlySet<string>;
  scheme: "http" | "https";
  /** The name of the session cookie. It contains the port, because browsers share cookies between the ports of a host. */
  cookieName: string;
}

/**
 * Checks the host that a request is addressed to and the page that it comes from. A page of another site could reach this machine
 * through its own host name that resolves to this machine, but never with an IP address or a name of this machine.
 *
 * @throws ServerProblem
 */
export function admitAddress(
  request: Request,
  { hosts, scheme }: Omit<ServeAdmission, "signIn">,
): void {
  const host = request.headers.get("host") ?? "";
  if (!isOwnHost(host, hosts)) {
    const detail = `Expected a Host that is an IP address or one of ${[...hosts].join(", ")}; got ${JSON.stringify(host)}. --host names another one.`;
    throw new ServerProblem("host-not-allowed", detail);
  }
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== `${scheme}://${host}`) {
    const detail = `Expected no Origin, or that of this server; got ${JSON.stringify(origin)}.`;
    throw new ServerProblem("origin-not-allowed", detail);
  }
}

function isOwnHost(host: string, hosts: ReadonlySet<string>): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const url = new URL(`http://${host}`);
  if (url.host !== host.toLowerCase() && `${url.host}:80` !== host) return false;
  const name = url.hostname.replaceAll(/^\[|\]$/g, "");
  return isIP(name) !== 0 || hosts.has(name);
}

/**
 * Checks that a request has the token or a session cookie. A browser sends the cookie with every request, so a change with a cookie
 * must come from this server's own page.
 *
 * @throws ServerProblem
 */
export function admitUser(request: Request, { signIn, cookieName }: ServeAdmission): void {
  const token = readBearer(request);
  if (token !== undefined && signIn.isToken(token)) return;
  if (token !== undefined || !signIn.isSession(readCookie(request, cookieName))) {
    const detail =
      "Expected the header Authorization: Bearer with the token that `cadre serve` printed, or a browser that signed in with its link.";
    throw new ServerProblem("not-signed-in", detail);
  }
  const isRead = request.method === "GET" || request.method === "HEAD";
  const site = request.headers.get("sec-fetch-site");
  const isOwnPage = site === null ? request.headers.has("origin") : site === "same-origin";
  if (isOwnPage || (isRead && (site === null || site === "none"))) return;
  const detail =
    "Expected a request from the page of this server; another page or program sent it.";
  throw new ServerProblem("origin-not-allowed", detail);
}

/**
 * Reports whether a request starts a trigger with the trigger's secret, which gives no other right. `find` returns the project with an
 * id, and the first project without one.
 */
export function isTriggerStart(
  request: Request,
  find: (project: string | undefined) => Pick<Cadre, "automation"> | undefined,
): boolean {
  const { pathname } = new URL(request.url);
  const [, project, name] = triggerPath.exec(pathname) ?? [];
  const secret = readBearer(request);
  if (name === undefined || secret === undefined || request.method !== "POST") return false;
  try {
    const found = find(project === undefined ? undefined : decodeURIComponent(project));
    return found?.automation.permits(decodeURIComponent(name), secret) === true;
  } catch {
    // The name is encoded incorrectly.
    return false;
  }
}

const triggerPath = /^\/api\/v1(?:\/projects\/([^/]+))?\/triggers\/([^/]+)$/;

function readBearer(request: Request): string | undefined {
  return /^bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

function readCookie(request: Request, name: string): string {
  const cookies = (request.headers.get("cookie") ?? "").split(/; */);
  return cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}
