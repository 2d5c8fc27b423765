import { expect, it } from "vitest";
import type { HttpExtension, StdioExtension } from "../run/extension-config.ts";
import { httpLaunch, processLaunch, redactionFor } from "./launch-config.ts";

const stdio: StdioExtension = { name: "s", type: "stdio", command: "run", args: [] };
const http: HttpExtension = { name: "h", type: "streamable_http", url: "https://h.example/mcp" };

it("a process receives the variables that every command inherits and the named ones, and no others", () => {
  const { environment } = processLaunch(
    { ...stdio, environmentKeys: ["TOKEN"] },
    { PATH: "/bin", HOME: "/home/me", TOKEN: "t", ANTHROPIC_API_KEY: "k" },
  );
  expect(environment).toMatchObject({ PATH: "/bin", HOME: "/home/me", TOKEN: "t" });
  expect(environment).not.toHaveProperty("ANTHROPIC_API_KEY");
});

it("named variables that are not set are an error that lists them", () => {
  const config = { ...stdio, environmentKeys: ["A", "B", "C"] };
  expect(() => processLaunch(config, { B: "" })).toThrow(
    "The MCP server s cannot be used: it needs variables that are not set: A, C. Set them",
  );
});

it("a recipe's server is started with its literal arguments, and errors use the field names of recipes", () => {
  const recipe = { ...stdio, format: "recipe", environmentKeys: ["TOKEN"] } as const;
  const config = { ...recipe, args: ["${TOKEN}"], environment: { KEY: "${TOKEN} ${OTHER}" } };
  expect(processLaunch(config, { TOKEN: "t" })).toMatchObject({
    args: ["${TOKEN}"],
    environment: { KEY: "${TOKEN} ${OTHER}", TOKEN: "t" },
  });
  expect(() => processLaunch(config, {})).toThrow("remove it from its env_keys");
  const far = { ...http, format: "recipe" } as const;
  expect(() => httpLaunch({ ...far, url: "here" }, {})).toThrow("expected its uri to be");
  expect(() => httpLaunch({ ...far, url: "http://h/${X}" }, {})).toThrow("Add X to its env_keys");
});

it("named variables are inserted into headers and the URL literally", () => {
  const config = {
    ...http,
    url: "https://h.example/${PATH_PART}",
    headers: { Authorization: "Bearer ${TOKEN}" },
    environmentKeys: ["TOKEN", "PATH_PART"],
  };
  const { url, headers } = httpLaunch(config, { TOKEN: "$& ${PATH_PART}", PATH_PART: "mcp" });
  expect(url.href).toBe("https://h.example/mcp");
  expect(headers.get("authorization")).toBe("Bearer $& ${PATH_PART}");
});

it("a variable in a header must be named, even when it is set", () => {
  const config = { ...http, headers: { "X-Key": "${SECRET}" } };
  expect(() => httpLaunch(config, { SECRET: "s" })).toThrow(
    "${SECRET} in its headers.X-Key is not one of its environmentKeys",
  );
});

it("an invalid URL and an invalid header are errors without their values", () => {
  expect(() => httpLaunch({ ...http, url: "ftp://h.example" }, {})).toThrow("http or https URL");
  const config = { ...http, headers: { "X-Key": "hush\nhush" } };
  expect(() => httpLaunch(config, {})).toThrow(/^(?!.*hush).*header "X-Key"/);
});

it("user and password of a URL are sent as a header", () => {
  const { url, headers } = httpLaunch({ ...http, url: "https://me:a%20b@h.example/" }, {});
  expect(url.href).toBe("https://h.example/");
  expect(headers.get("authorization")).toBe(`Basic ${Buffer.from("me:a b").toString("base64")}`);
});

it("values are redacted, including the token of a header alone", () => {
  const config = {
    ...http,
    headers: { Authorization: "Bearer abcdef-123", Other: "${TOKEN}" },
    environmentKeys: ["TOKEN"],
  };
  const redact = redactionFor(config, { TOKEN: "top-secret" });
  expect(redact("abcdef-123 and top-secret, not Bearer")).toBe("[secret] and [secret], not Bearer");
});

it("arguments and parts of a URL that may be secrets are redacted, and no others", () => {
  const args = [
    "-y",
    "@scope/server@2",
    "./main.ts",
    "--api-key",
    "hunter",
    "--x=tok3n9",
    "verbose",
  ];
  const redact = redactionFor({ ...stdio, args }, {});
  expect(redact(args.join(" "))).toBe(
    "-y @scope/server@2 ./main.ts --api-key [secret] --x=[secret] verbose",
  );
  const url = "https://user12:passwd@h.example/v1/s3cr3ts3cr3t/mcp?key=a%20b%20c%20d#fragment";
  const redactUrl = redactionFor({ ...http, url }, {});
  expect(
    redactUrl("user12 passwd s3cr3ts3cr3t fragment; a b c d; a%20b%20c%20d; h.example mcp"),
  ).toBe("[secret] [secret] [secret] [secret]; [secret]; [secret]; h.example mcp");
});
