// Library functions that reach outside: commands, the web and other agents.

import { isRecord, type JsonObject, type JsonValue } from "../../../source/json.ts";
import {
  type AipModule,
  type Arguments,
  anyOf,
  type AskHost,
  isAbsent,
  optionsOf,
  textArgument,
  wrongArgument,
} from "../arguments.ts";
import { writeSortedJson } from "../format/json.ts";

/** The user agents that scripts can choose. */
export const userAgents: Record<string, string> = {
  UA_AIPACK: "aipack",
  UA_BROWSER:
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
};

/** `aip.web`. */
export const web: AipModule = {
  get: (args, ask) => request(args, ask, "GET"),
  post: (args, ask) => request(args, ask, "POST"),
  parse_url: (args) =>
    isAbsent(args, 1) ? undefined : describeUrl(textArgument(args, 1), args.name),
  resolve_href: (args) => {
    if (isAbsent(args, 1)) return undefined;
    const href = textArgument(args, 1);
    const base = textArgument(args, 2);
    if (URL.canParse(href)) return href;
    if (URL.canParse(href, base)) return new URL(href, base).href;
    throw new Error(`${args.name}: ${href} and ${base} do not form a URL`);
  },
};

function request(args: Arguments, ask: AskHost, method: "GET" | "POST"): JsonValue {
  const options = optionsOf(args, method === "POST" ? 3 : 2);
  const headers: Record<string, JsonValue> = isRecord(options["headers"])
    ? { ...options["headers"] }
    : {};
  const agent = options["user_agent"];
  if (typeof agent === "string") headers["user-agent"] = agent;
  else if (agent !== false) headers["user-agent"] ??= userAgents["UA_AIPACK"] ?? "";
  let body: string | null = null;
  if (method === "POST") {
    const data = anyOf(args, 2);
    if (typeof data !== "string" && (typeof data !== "object" || data === null))
      throw wrongArgument(args, 2, "a string or a table");
    body = typeof data === "string" ? data : writeSortedJson(data);
    headers["content-type"] ??= typeof data === "string" ? "text/plain" : "application/json";
  }
  const limit = options["redirect_limit"];
  const response = ask("web.request", {
    method,
    url: textArgument(args, 1),
    headers,
    body,
    redirects: typeof limit === "number" ? limit : 5,
  }) as JsonObject;
  return options["parse"] === true ? withParsedContent(response) : response;
}

function withParsedContent(response: JsonObject): JsonObject {
  const { content, content_type: type } = response;
  if (typeof content !== "string" || typeof type !== "string" || !type.includes("json"))
    return response;
  try {
    return { ...response, content: JSON.parse(content) as JsonValue };
  } catch {
    // Declared as JSON but invalid: return the text.
    return response;
  }
}

function describeUrl(text: string, name: string): JsonObject {
  if (!URL.canParse(text)) throw new Error(`${name} expects a URL, got ${text}`);
  const url = new URL(text);
  const query = Object.fromEntries(url.searchParams);
  const page = new URL(text);
  page.search = "";
  page.hash = "";
  return {
    scheme: url.protocol.replace(/:$/, ""),
    ...(url.hostname !== "" && { host: url.hostname }),
    ...(url.port !== "" && { port: Number(url.port) }),
    path: url.pathname,
    ...(Object.keys(query).length > 0 && { query }),
    ...(url.hash !== "" && { fragment: url.hash.slice(1) }),
    username: url.username,
    ...(url.password !== "" && { password: url.password }),
    url: url.href,
    page_url: page.href,
  };
}
