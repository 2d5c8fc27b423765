import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { askModel } from "../request/ask-model.ts";
import { userMessage } from "../conversation.ts";
import { createModels, type Models, type ModelsConfig } from "./create-models.ts";

const keys = { ANTHROPIC_API_KEY: "k1", OPENAI_API_KEY: "k2", GEMINI_API_KEY: "k3" };
const nowhere = { OLLAMA_HOST: "127.0.0.1:9" };
const opened: (() => Promise<unknown> | void)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

describe("a reference", () => {
  test.each([
    ["anthropic:claude-opus-5", "anthropic:claude-opus-5", "anthropic.messages"],
    ["sonnet", "anthropic:claude-sonnet-5-5", "anthropic.messages"],
    ["anthropic:sonnet", "anthropic:claude-sonnet-5-5", "anthropic.messages"],
    ["claude-haiku-4-5", "anthropic:claude-haiku-4-5", "anthropic.messages"],
    ["gpt", "openai:gpt-6.1-sol", "openai.responses"],
    ["o3", "openai:o3", "openai.responses"],
    ["gemini-flash", "google:gemini-3.8-flash", "google.generative-ai"],
    ["gemini-2.5-pro", "google:gemini-2.5-pro", "google.generative-ai"],
    ["ollama:llama3:8b", "ollama:llama3:8b", "ollama.chat"],
    ["lab:sonnet", "lab:sonnet", "lab.chat"],
    ["fast", "lab:qwen", "lab.chat"],
    ["record:f.ndjson=fast", "record:f.ndjson=lab:qwen", "lab.chat"],
  ])("%s means %s", async (reference, id, provider) => {
    const models = open(keys, {
      aliases: { fast: "quick", quick: "lab:qwen" },
      endpoints: { lab: { baseUrl: "http://127.0.0.1:9/v1" } },
    });
    const model = await models.resolve(reference);
    expect([model.id, model.language.provider]).toEqual([id, provider]);
    expect(await models.resolve(reference)).toBe(model);
  });

  test("keeps the case of an endpoint's name, and finds a provider in any case", async () => {
    const baseUrl = "http://127.0.0.1:9/v1";
    const models = open(keys, {
      endpoints: { MyLab: { baseUrl }, mylab: { baseUrl }, Other: { baseUrl } },
    });
    const idOf = async (reference: string): Promise<string> => (await models.resolve(reference)).id;
    expect(await idOf("MyLab:Qwen")).toBe("MyLab:Qwen");
    expect(await idOf("mylab:Qwen")).toBe("mylab:Qwen");
    expect(await idOf("other:Qwen")).toBe("Other:Qwen");
    expect(await idOf("OpenAI:gpt")).toBe("openai:gpt-6.1-sol");
    await expect(idOf("MYLAB:Qwen")).rejects.toThrow(/Known providers: .*MyLab, mylab/);
  });

  test.each([
    { model: "called", near: "lab", is: "lab:called" },
    { model: "llama3:8b", near: "lab", is: "lab:llama3:8b" },
    { model: "gpt-oss", near: "lab", is: "lab:gpt-oss" },
    { model: "o9-new", near: "openai", is: "openai:o9-new" },
    { model: "new", near: "anthropic", is: "anthropic:new" },
    // Another hosted provider's model by its name, which the near provider cannot serve.
    { model: "claude-opus-5", near: "openai", is: "anthropic:claude-opus-5" },
    { model: "sonnet", near: "lab", is: "anthropic:claude-sonnet-5-5" },
    { model: "openai:o3", near: "lab", is: "openai:o3" },
  ])("to $model, near $near, means $is", async ({ model, near, is }) => {
    const models = open(keys, { endpoints: { lab: { baseUrl: "http://127.0.0.1:9/v1" } } });
    expect((await models.resolve(model, near)).id).toBe(is);
  });

  test.each(["sonet", "mistral:large"])(
    "to %s, near a hosted provider, is refused",
    async (model) => {
      await expect(open(keys).resolve(model, "anthropic")).rejects.toMatchObject({
        code: "model-unavailable",
      });
    },
  );

  test.each([
    ["sonet", /Did you mean `sonnet`/],
    ["mistral:large", /Known providers: anthropic, openai, google, ollama, lab/],
    ["anthropic:", /Expected a model as provider:model/],
    ["", /Expected a model as provider:model/],
    ["record:talk.ndjson", /Expected record:FILE=MODEL/],
    ["circle", /Expected a model as provider:model/],
  ])("%j is refused with what to write instead", async (reference, text) => {
    const models = open(keys, {
      aliases: { circle: "round", round: "circle" },
      endpoints: { lab: { baseUrl: "http://127.0.0.1:9/v1" } },
    });
    await expect(models.resolve(reference)).rejects.toMatchObject({
      code: "model-unavailable",
      message: expect.stringMatching(text),
    });
  });

  test.each([
    ["sonnet", "set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"],
    ["gpt", "set OPENAI_API_KEY"],
    ["gemini", "set GEMINI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY"],
    ["lab:qwen", "set LAB_KEY"],
  ])("%s without a key says which variable to set", async (reference, text) => {
    const endpoints = { lab: { baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "LAB_KEY" } };
    const models = open({ ANTHROPIC_API_KEY: " " }, { endpoints });
    await expect(models.resolve(reference)).rejects.toMatchObject({
      code: "model-unavailable",
      message: expect.stringContaining(text),
    });
  });

  test.each([
    ["one\ntwo", "it has a line break"],
    ["schlüssel", "it has a character that is not ASCII"],
  ])("a key that cannot be sent is refused without showing it: %j", async (key, text) => {
    const endpoints = { lab: { baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "LAB_KEY" } };
    const models = open({ ANTHROPIC_API_KEY: key, LAB_KEY: key }, { endpoints });
    for (const [reference, variable] of [
      ["sonnet", "ANTHROPIC_API_KEY"],
      ["lab:qwen", "LAB_KEY"],
    ] as const) {
      const refused = models.resolve(reference);
      await expect(refused).rejects.toThrow(`Expected ${variable} to be a key on one line`);
      await expect(refused).rejects.toThrow(text);
      await expect(refused).rejects.not.toThrow(key);
    }
  });

  test("to an invalid base URL is refused without showing it", async () => {
    const models = open({ ...keys, OPENAI_BASE_URL: "user:password@host" });
    const refused = models.resolve("gpt");
    await expect(refused).rejects.toThrow("in OPENAI_BASE_URL");
    await expect(refused).rejects.not.toThrow("password");
  });
});

test.each([
  ["", "/v1/messages"],
  ["/", "/v1/messages"],
  ["/v1", "/v1/messages"],
  ["/v1/", "/v1/messages"],
  ["/proxy", "/proxy/v1/messages"],
])("ANTHROPIC_BASE_URL may end with %j", async (suffix, path) => {
  const server = await listen();
  const models = open({ ANTHROPIC_AUTH_TOKEN: "token", ANTHROPIC_BASE_URL: server.url + suffix });
  await ask(models, "haiku").catch(() => {});
  expect(server.requests).toEqual([{ path, authorization: "Bearer token" }]);
});

test("a server behind OPENAI_BASE_URL is used over chat/completions, and OpenAI itself is not", async () => {
  const server = await listen();
  const models = open({ ...keys, OPENAI_BASE_URL: `${server.url}/v1` });
  await ask(models, "gpt").catch(() => {});
  expect(server.requests).toEqual([{ path: "/v1/chat/completions", authorization: "Bearer k2" }]);
  const own = open({ ...keys, OPENAI_BASE_URL: "https://eu.api.openai.com/v1" });
  expect((await own.resolve("gpt")).language.provider).toBe("openai.responses");
});

describe("the default", () => {
  test("is the configured one", async () => {
    expect((await open(keys, { default: "gemini" }).resolveDefault()).id).toBe(
      "google:gemini-4-argon",
    );
  });

  test.each([
    [keys, "anthropic:claude-sonnet-5-5"],
    [{ OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" }, "openai:gpt-6.1-sol"],
    [{ GOOGLE_GENERATIVE_AI_API_KEY: "k" }, "google:gemini-4-argon"],
  ])("is of the first provider with a key: %j", async (environment, id) => {
    expect((await open(environment).resolveDefault()).id).toBe(id);
  });

  test("is the first model of a server on this machine", async () => {
    const server = await listen({ models: [{ name: "llama3:8b" }, { name: "qwen" }] });
    const models = open({ OLLAMA_HOST: server.url });
    expect((await models.resolveDefault()).id).toBe("ollama:llama3:8b");
    expect(server.requests.map((request) => request.path)).toEqual(["/api/tags"]);
  });

  test.each([undefined, { models: [] }, { models: "x" }, []])(
    "is missing when the server answers %j",
    async (answer) => {
      const server = await listen(answer);
      await expect(open({ OLLAMA_HOST: server.url }).resolveDefault()).rejects.toMatchObject({
        code: "model-unavailable",
        message: expect.stringMatching(/ANTHROPIC_API_KEY, OPENAI_API_KEY/),
      });
    },
  );

  test("is missing when nothing answers", async () => {
    await expect(open(nowhere).resolveDefault()).rejects.toThrow("or start Ollama");
  });
});

test("a reference that failed is resolved again the next time", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cadre-models-"));
  opened.push(() => rm(folder, { recursive: true }));
  const models = createModels({ environment: {}, folder });
  await expect(models.resolve("scripted:a.yaml")).rejects.toThrow("nothing is there");
  await writeFile(join(folder, "a.yaml"), "scripts: [{ reply: { text: Hi. } }]");
  const reply = await ask(models, "scripted:a.yaml");
  expect(reply.parts).toEqual([{ type: "text", text: "Hi." }]);
});

test("no request can be made after the models were closed", async () => {
  const models = createModels({ environment: keys });
  await models.close();
  await expect(ask(models, "sonnet")).rejects.toMatchObject({ code: "closed" });
});

function open(environment: Record<string, string>, config: ModelsConfig = {}): Models {
  const models = createModels({ environment, config });
  opened.push(() => models.close());
  return models;
}

async function ask(models: Models, reference: string): ReturnType<typeof askModel> {
  const { signal } = new AbortController();
  const request = { prompt: [userMessage("Hello?")], tools: [] };
  return await askModel(await models.resolve(reference), request, {
    signal,
    stream: false,
    retries: 0,
  });
}

async function listen(answer?: unknown): Promise<{
  url: string;
  requests: { path: string | undefined; authorization: string | undefined }[];
}> {
  const requests: Awaited<ReturnType<typeof listen>>["requests"] = [];
  const server = createServer((request, response) => {
    requests.push({ path: request.url, authorization: request.headers.authorization });
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
