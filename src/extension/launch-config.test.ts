import { expect, it } from "vitest";
import type { HttpExtension, StdioExtension } from "../run/extension-config.ts";
import { httpLaunch, processLaunch, redactionFor } from "./launch-config.ts";

const stdio: StdioExtension = { name: "s", type: "stdio", command: "run", args: [] };
const http: HttpExtension = { name: "h", type: "streamable_http", url: "https://h.example/mcp" };

it("a process gets what every command inherits, and nothing else that was not named", () => {
  const { environment } = processLaunch(
    { ...stdio, environmentKeys: ["TOKEN"] },
    { PATH: "/bin", HOME: "/home/me", TOKEN: "t", ANTHROPIC_API_KEY: "k" },
  );
  expect(environment).toMatchObject({ PATH: "/bin", HOME: "/home/me", TOKEN: "t" });
  expect(environment).not.toHaveProperty("ANTHROPIC_API_KEY");
});

it("variables that are named and not set are an error that lists them", () => {
  const config = { ...stdio, environmentKeys: ["A", "B", "C"] };
  expect(() => processLaunch(config, { B: "" })).toThrow(
    "The MCP server s cannot be used: it needs variables that are not set: A, C. Set them",
  );
});

it("a recipe's server is started with what the recipe says as it stands, and told of in its words", () => {
  const recipe = { ...stdio, format: "recipe", environmentKeys: ["TOKEN"] } as const;
  const config = { ...recipe, args: ["${TOKEN}"], environment: { KEY: "${TOKEN} ${OTHER}" } };
  expect(processLaunch(config, { TOKEN: "t" })).toMatchObject({
    args: ["${TOKEN}"],
    environment: { KEY: "${TOKEN} ${OTHER}", TOKEN: "t" },
  });
  expect(() => processLaunch(config, {})).toThrow("take it out of its env_keys");
  const far = { ...http, format: "recipe" } as const;
  expect(() => httpLaunch({ ...far, url: "here" }, {})).toThrow("expected its uri to be");
  expect(() => httpLaunch({ ...far, url: "http://h/${X}" }, {})).toThrow("Add X to its env_keys");
});

it("headers and the URL get the variables that are named, literally", () => {
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

it("a variable in a header that is not named is an error, even when it is set", () => {
  const config = { ...http, headers: { "X-Key": "${SECRET}" } };
  expect(() => httpLaunch(config, { SECRET: "s" })).toThrow(
    "${SECRET} in its headers.X-Key is not one of its environmentKeys",
  );
});

it("a URL that is none and a header that cannot be sent are errors without their values", () => {
  expect(() => httpLaunch({ ...http, url: "ftp://h.example" }, {})).toThrow("http or https URL");
  const config = { ...http, headers: { "X-Key": "hush\nhush" } };
  expect(() => httpLaunch(config, {})).toThrow(/^(?!.*hush).*header "X-Key"/);
});

it("user and password of a URL are sent as a header", () => {
  const { url, headers } = httpLaunch({ ...http, url: "https://me:a%20b@h.example/" }, {});
  expect(url.href).toBe("https://h.example/");
  expect(headers.get("authorization")).toBe(`Basic ${Buffer.from("me:a b").toString("base64")}`);
});

it("values are taken out of texts, also the token alone of a header", () => {
  const config = {
    ...http,
    headers: { Authorization: "Bearer abcdef-123", Other: "${TOKEN}" },
    environmentKeys: ["TOKEN"],
  };
  const redact = redactionFor(config, { TOKEN: "top-secret" });
  expect(redact("abcdef-123 and top-secret, not Bearer")).toBe("[secret] and [secret], not Bearer");
});

it("arguments and parts of a URL that may be secrets are taken out of messages, and no others", () => {
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
