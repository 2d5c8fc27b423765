import { isIP } from "node:net";

/** An allowed host and port. */
export interface NetworkRule {
  /** A name or an address; a leading `*.` stands for one or more labels. */
  host: string;
  /** `null`: the ports of http and https. */
  port: number | null;
}

/** A host and a port. The host is spelled as in URLs, without brackets. */
export interface NetworkTarget {
  host: string;
  port: number;
}

const webPorts: ReadonlySet<number> = new Set([80, 443]);

/** Parses `HOST` or `HOST:PORT`. The host is a name, `*.` and a name, or an address (IPv6 in brackets). */
export function parseNetworkRule(text: string): NetworkRule | undefined {
  const [, wildcard = "", rest = ""] = /^(\*\.)?(.*)$/s.exec(text) ?? [];
  const hasPort = /:\d+$/.test(rest) && !rest.endsWith("]");
  const target = parseTarget(hasPort ? rest : `${rest}:80`);
  if (target === undefined || (wildcard !== "" && isIP(target.host) !== 0)) return undefined;
  return { host: `${wildcard}${target.host}`, port: hasPort ? target.port : null };
}

/** Parses the `HOST:PORT` of a CONNECT request. Normalizes unusual spellings of an address. */
export function parseTarget(text: string): NetworkTarget | undefined {
  const [, name = "", digits = ""] =
    /^(\[[0-9a-f:.]+\]|[\p{L}\p{N}._-]+):(\d{1,5})$/iu.exec(text) ?? [];
  const port = Number(digits);
  if (name === "" || port < 1 || port > 65_535 || !URL.canParse(`http://${name}`)) return undefined;
  const { hostname } = new URL(`http://${name}`);
  return { host: plainHost(hostname), port };
}

/** Reports whether one of `rules` allows `target` under that name. */
export function isAllowedTarget(rules: readonly NetworkRule[], target: NetworkTarget): boolean {
  return rules.some(({ host, port }) => {
    const isPort = port === null ? webPorts.has(target.port) : port === target.port;
    return isPort && (host === target.host || isBelow(host, target.host));
  });
}

/** Returns the host of a URL without brackets and without a trailing dot. */
export function plainHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function isBelow(pattern: string, host: string): boolean {
  return pattern.startsWith("*.") && isIP(host) === 0 && host.endsWith(pattern.slice(1));
}
