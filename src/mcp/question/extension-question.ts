import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type ElicitAnswer, type ElicitRequest, plainLine } from "../../host.ts";
import type { HostRequest } from "./question-pool.ts";

const nameCharacters = 200;

/** Creates a question of an MCP server, a tool or an agent to the user, with the agents from the root down. */
export function toExtensionQuestion({
  extension,
  from,
  callers,
  message,
  schema,
}: ElicitRequest): HostRequest {
  const chains = [...new Set(callers.map(({ chain }) => chain.join(" > ")))].join(", ");
  const agents = plainLine(chains, nameCharacters);
  const kind = from === "server" ? "MCP server" : "tool";
  const asker = `The ${kind} ${plainLine(extension, nameCharacters)}, used by ${agents}, asks:`;
  const who = from === "agent" ? `The agent ${agents} asks:` : asker;
  const requestedSchema = schema as unknown as ElicitRequestFormParams["requestedSchema"];
  return {
    method: "elicitation/create",
    params: { mode: "form", message: `${who}\n\n${message}`, requestedSchema },
  };
}

const content = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
);
const response = z.union([
  z.object({ action: z.literal("accept"), content }),
  z.object({ action: z.enum(["decline", "cancel"]) }),
]);

/** Parses the user's answer. An invalid answer counts as none. */
export function readExtensionAnswer(given: unknown): ElicitAnswer {
  const { success, data } = response.safeParse(given);
  return success ? data : { action: "cancel" };
}
