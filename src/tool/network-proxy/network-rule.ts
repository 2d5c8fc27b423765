import { isIP } from "node:net";

/** A host that may be reached, and where. */
export interface NetworkRule {
  /** A name or an address; `*.` in front of a name stands for one label or more. */
  host: string;
  /** `null`: the ports of http and https. */
  port: number | null;
}

/** A host and a port, the host as URLs write it but without brackets. */
export interface NetworkTarget {
  host: string;
  port: number;
}

const webPorts: ReadonlySet<number> = new Set([80, 443]);

/** Reads `HOST` or `HOST:PORT`; the host is a name, `*.` and a name, or an address (IPv6 in brackets). */
export function parseNetworkRule(text: string): NetworkRule | undefined {
  const [, wildcard = "", rest = ""] = /^(\*\.)?(.*)$/s.exec(text) ?? [];
  const hasPort = /:\d+$/.test(rest) && !rest.endsWith("]");
  const target = parseTarget(hasPort ? rest : `${rest}:80`);
  if (target === undefined || (wildcard !== "" && isIP(target.host) !== 0)) return undefined;
  return { host: `${wildcard}${target.host}`, port: hasPort ? target.port : null };
}

/** Reads `HOST:PORT` as a CONNECT request has it. Unusual spellings of an address become its usual one. */
export function parseTarget(text: string): NetworkTarget | undefined {
  const [, name = "", digits = ""] =
    /^(\[[0-9a-f:.]+\]|[\p{L}\p{N}._-]+):(\d{1,5})$/iu.exec(text) ?? [];
  const port = Number(digits);
  if (name === "" || port < 1 || port > 65_535 || !URL.canParse(`http://${name}`)) return undefined;
  const { hostname } = new URL(`http://${name}`);
  return { host: plainHost(hostname), port };
}

/** Whether one of `rules` allows to reach `target` by that name. */
export function isAllowedTarget(rules: readonly NetworkRule[], target: NetworkTarget): boolean {
  return rules.some(({ host, port }) => {
    const isPort = port === null ? webPorts.has(target.port) : port === target.port;
    return isPort && (host === target.host || isBelow(host, target.host));
  });
}

/** The host of a URL without brackets and without the dot that may stand behind a name. */
export function plainHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function isBelow(pattern: string, host: string): boolean {
  return pattern.startsWith("*.") && isIP(host) === 0 && host.endsWith(pattern.slice(1));
}
