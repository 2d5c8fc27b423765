// Web requests: fetches pages from public addresses only, and converts them to text.

import { lookup as systemLookup, type LookupAddress } from "node:dns";
import type { IncomingMessage, RequestOptions } from "node:http";
import { callbackify } from "node:util";
import { isIP, type LookupFunction } from "node:net";
import { CadreError } from "../../errors.ts";
import { isPublicAddress } from "./public-address.ts";

/** Resolves the addresses of a host. */
export type Lookup = (host: string) => Promise<LookupAddress[]>;

/** The addresses that a request may reach. */
export interface RequestGuard {
  /** Default: the system's resolver. */
  lookup?: Lookup;
  /** Default {@link isPublicAddress}. */
  allowAddress?: (address: string) => boolean;
}

/** A request, without its URL. */
export interface WebRequest {
  /** Default `GET`. */
  method?: "GET" | "POST";
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

const redirections: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 5;

/** The final response, or the URL on another host that the last response redirects to. */
export type GuardedAnswer =
  | { type: "response"; url: URL; response: IncomingMessage }
  | { type: "other-host"; url: URL };

/**
 * Parses a web address.
 *
 * @throws CadreError `tool-failed` for anything but http and https without user and password.
 */
export function parseWebAddress(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw refused(text, "it is not a URL; write https://…");
  const url = new URL(text, base?.href);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refused(text, "only http and https are fetched");
  if (url.username !== "" || url.password !== "")
    throw refused(url.host, "user names and passwords in a URL are not sent");
  url.hash = "";
  return url;
}

/**
 * Fetches `start` and follows up to five redirects on the same host. Each connection goes to an address that was just checked:
 * the name is not resolved a second time.
 */
export async function guardedGet(
  start: URL,
  guard: RequestGuard,
  signal: AbortSignal,
): Promise<GuardedAnswer> {
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await guardedRequest(url, {}, guard, signal);
    const location = redirections.has(response.statusCode ?? 0)
      ? response.headers.location
      : undefined;
    if (location === undefined) return { type: "response", url, response };
    response.destroy();
    const next = parseWebAddress(location, url);
    if (next.hostname !== url.hostname) return { type: "other-host", url: next };
    url = next;
  }
  throw refused(start.href, `it redirects more than ${maxRedirects} times`);
}

/** Sends one request to an address that was just checked. A redirect is a response like any other. */
export async function guardedRequest(
  url: URL,
  { method = "GET", headers = {}, body }: WebRequest,
  guard: RequestGuard,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const allow = guard.allowAddress ?? isPublicAddress;
  // A literal address does not go through the lookup.
  if (isIP(host) !== 0 && !allow(host)) throw notPublic(url, host);
  const { request } =
    url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const options: RequestOptions = {
    method,
    agent: false,
    signal,
    lookup: createLookup(url, guard),
    headers: {
      "user-agent": "cadre",
      accept: "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1",
      "accept-encoding": "gzip, deflate, br",
      ...headers,
    },
  };
  return new Promise((resolve, reject) => {
    request(url, options, resolve).once("error", reject).end(body);
  });
}

function createLookup(url: URL, guard: RequestGuard): LookupFunction {
  const allow = guard.allowAddress ?? isPublicAddress;
  const lookup = guard.lookup ?? lookupAll;
  const resolve = callbackify(
    async (host: string): Promise<[LookupAddress, ...LookupAddress[]]> => {
      const [first, ...others] = await lookup(host);
      if (first === undefined) throw refused(url.href, "its host has no address");
      const closed = [first, ...others].find(({ address }) => !allow(address));
      if (closed !== undefined) throw notPublic(url, closed.address);
      return [first, ...others];
    },
  );
  return (host, options, callback) => {
    resolve(host, (error, addresses) => {
      if (error !== null) callback(error, "");
      else if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0].address, addresses[0].family);
    });
  };
}

function lookupAll(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });
}

function notPublic(url: URL, address: string): CadreError {
  return refused(url.href, `${url.hostname} is ${address}, which is not on the public Internet`);
}

function refused(url: string, why: string): CadreError {
  return new CadreError("tool-failed", `${url} is not fetched: ${why}.`);
}
