import { describe, expect, test } from "vitest";
import {
  isAllowedTarget,
  type NetworkRule,
  parseNetworkRule,
  parseTarget,
} from "./network-rule.ts";

function rules(...texts: string[]): NetworkRule[] {
  return texts.flatMap((text) => parseNetworkRule(text) ?? []);
}

describe("a network rule", () => {
  test.each([
    ["Example.COM", { host: "example.com", port: null }],
    ["*.example.com", { host: "*.example.com", port: null }],
    ["example.com:8080", { host: "example.com", port: 8080 }],
    ["bücher.example", { host: "xn--bcher-kva.example", port: null }],
    ["[::1]", { host: "::1", port: null }],
    ["[::1]:3000", { host: "::1", port: 3000 }],
    ["127.0.0.1:3000", { host: "127.0.0.1", port: 3000 }],
  ])("%s is parsed", (text, rule) => {
    expect(parseNetworkRule(text)).toEqual(rule);
  });

  test("allows the ports of the web, or the port it names", () => {
    const found = rules("a.example", "b.example:22");
    const ports = (host: string): number[] =>
      [22, 80, 443, 8080].filter((port) => isAllowedTarget(found, { host, port }));
    expect(ports("a.example")).toEqual([80, 443]);
    expect(ports("b.example")).toEqual([22]);
  });

  test("with a star allows subdomains, but neither the domain itself nor a name that only ends with it", () => {
    const found = rules("*.a.example");
    const hosts = ["x.a.example", "x.y.a.example", "a.example", "xa.example", "a.example.org"];
    const allowed = hosts.filter((host) => isAllowedTarget(found, { host, port: 443 }));
    expect(allowed).toEqual(["x.a.example", "x.y.a.example"]);
  });
});

describe("the target of a request", () => {
  test.each([
    ["EXAMPLE.com.:443", { host: "example.com", port: 443 }],
    ["2130706433:80", { host: "127.0.0.1", port: 80 }],
    ["0x7f.1:80", { host: "127.0.0.1", port: 80 }],
    ["[::ffff:127.0.0.1]:80", { host: "::ffff:7f00:1", port: 80 }],
  ])("%s is parsed and normalized", (text, target) => {
    expect(parseTarget(text)).toEqual(target);
  });

  test.each([
    "a.example",
    "a.example:0",
    "a.example:65536",
    "a@b:80",
    "a/b:80",
    "a b:80",
    ":80",
    "[::1:80",
  ])("%s is invalid", (text) => {
    expect(parseTarget(text)).toBeUndefined();
  });
});
