import type { LookupAddress } from "node:dns";
import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Lookup } from "../guarded-request.ts";
import { isPublicAddress } from "../public-address.ts";
import { isAllowedTarget, type NetworkRule, type NetworkTarget } from "./network-rule.ts";

/** The addresses that a target may be reached at, or why there are none. */
export type FoundAddresses =
  | { type: "addresses"; addresses: [LookupAddress, ...LookupAddress[]] }
  /** The rules do not allow it; `missing` is the rule that would. */
  | { type: "refused"; missing: string }
  | { type: "unknown-host"; problem: string };

/** What may be reached, and how names are resolved. */
export interface NetworkGuard {
  rules: readonly NetworkRule[];
  /** Default: the system's resolver. */
  lookup?: Lookup;
}

/**
 * Resolves a target, once: whoever connects uses these addresses and no name, so that a name that is resolved to another address
 * a moment later changes nothing. An address that is not on the public Internet must be listed itself.
 */
export async function findAddresses(
  target: NetworkTarget,
  { rules, lookup = lookupAll }: NetworkGuard,
): Promise<FoundAddresses> {
  if (!isAllowedTarget(rules, target)) return { type: "refused", missing: ruleFor(target) };
  const { host, port } = target;
  const family = isIP(host);
  // Somebody listed the address as it stands there.
  if (family !== 0) return { type: "addresses", addresses: [{ address: host, family }] };
  try {
    const [first, ...others] = await lookup(host);
    if (first === undefined) return { type: "unknown-host", problem: `${host} has no address` };
    const addresses: [LookupAddress, ...LookupAddress[]] = [first, ...others];
    const isListed = ({ address }: LookupAddress): boolean =>
      isPublicAddress(address) ||
      (host === "localhost" && isLoopback(address)) ||
      isAllowedTarget(rules, { host: address, port });
    const bad = addresses.find((address) => !isListed(address));
    if (bad === undefined) return { type: "addresses", addresses };
    return { type: "refused", missing: ruleFor({ host: bad.address, port }) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { type: "unknown-host", problem };
  }
}

function lookupAll(host: string): Promise<LookupAddress[]> {
  return systemLookup(host, { all: true });
}

function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

/** The rule that is missing, as it is written in the configuration. */
function ruleFor({ host, port }: NetworkTarget): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === 80 || port === 443 ? name : `${name}:${port}`;
}
