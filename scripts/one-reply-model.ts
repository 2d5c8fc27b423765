import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A model server for programs that are only started. */
export interface OneReplyModel {
  server: Server;
  /** The variables with which Cadre uses the server as the model `openai:mock`. */
  environment: { OPENAI_API_KEY: string; OPENAI_BASE_URL: string };
}

const reply = {
  id: "reply",
  object: "chat.completion",
  created: 0,
  model: "mock",
  choices: [{ index: 0, message: { role: "assistant", content: "done" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** Starts a server that gives every request the same short reply. Calls `onRequest` at each request. */
export async function startOneReplyModel(
  onRequest: () => void = () => undefined,
): Promise<OneReplyModel> {
  const server = createServer((request, response) => {
    onRequest();
    request.resume();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(reply));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const environment = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
  return { server, environment };
}

/** Returns a program that executes one run with this model. `library` is the path or URL of the library to import. */
export function oneRunProgram(library: string): string {
  return `import { createCadre } from ${JSON.stringify(library)};
const cadre = await createCadre({ model: "openai:mock" });
const run = await cadre.spawn({ agent: "main", task: "go to work" });
await run.result();
await cadre.close();
`;
}
