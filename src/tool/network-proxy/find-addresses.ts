import type { LookupAddress } from "node:dns";
import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Lookup } from "../web/guarded-request.ts";
import { isPublicAddress } from "../web/public-address.ts";
import { isAllowedTarget, type NetworkRule, type NetworkTarget } from "./network-rule.ts";
import { errorMessage } from "../../error-message.ts";

/** The addresses of a target, or why it cannot be reached. */
export type FoundAddresses =
  | { type: "addresses"; addresses: [LookupAddress, ...LookupAddress[]] }
  /** The rules do not allow the target; `missing` is the rule that would. */
  | { type: "refused"; missing: string }
  | { type: "unknown-host"; problem: string };

/** The allowed targets and the resolver. */
export interface NetworkGuard {
  rules: readonly NetworkRule[];
  /** Default: the system's resolver. */
  lookup?: Lookup;
}

/**
 * Resolves a target once. The caller connects to these addresses, not to the name, so that a later DNS answer changes nothing. An
 * address that is not on the public Internet must be listed itself.
 */
export async function findAddresses(
  target: NetworkTarget,
  { rules, lookup = lookupAll }: NetworkGuard,
): Promise<FoundAddresses> {
  if (!isAllowedTarget(rules, target)) return { type: "refused", missing: ruleFor(target) };
  const { host, port } = target;
  const family = isIP(host);
  // A rule lists the address literally.
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
    const problem = errorMessage(error);
    return { type: "unknown-host", problem };
  }
}

function lookupAll(host: string): Promise<LookupAddress[]> {
  return systemLookup(host, { all: true });
}

function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

/** Returns the missing rule in the syntax of the configuration. */
function ruleFor({ host, port }: NetworkTarget): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === 80 || port === 443 ? name : `${name}:${port}`;
}
