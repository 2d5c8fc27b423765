import { BlockList, isIPv6 } from "node:net";
import { onFirstUse } from "../../on-first-use.ts";

/** Ranges that are not the public Internet (IANA's special-purpose registry), and the metadata addresses of clouds. */
const closed: readonly [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Special ranges inside the public range of IPv6: tunnels that carry IPv4, documentation. */
const closedV6: readonly [string, number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const findLists = onFirstUse(createLists);

/**
 * Reports whether an IP address is on the public Internet: not private, loopback, link-local, multicast, reserved, or an IPv6
 * form of an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  const lists = findLists();
  if (!isIPv6(address)) return !lists.closed.check(address, "ipv4");
  const plain = address.replace(/%.*$/, "");
  return lists.publicV6.check(plain, "ipv6") && !lists.closed.check(plain, "ipv6");
}

function createLists(): { closed: BlockList; publicV6: BlockList } {
  const all = new BlockList();
  for (const [address, bits] of closed) all.addSubnet(address, bits, "ipv4");
  for (const [address, bits] of closedV6) all.addSubnet(address, bits, "ipv6");
  const publicV6 = new BlockList();
  publicV6.addSubnet("2000::", 3, "ipv6");
  return { closed: all, publicV6 };
}
