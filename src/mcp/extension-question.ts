import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type ElicitAnswer, type ElicitRequest, plainLine } from "../index.ts";
import type { HostRequest } from "./question-pool.ts";

const nameCharacters = 200;

/** Passes on what an MCP server of a run asks the user, with who uses it. */
export function toExtensionQuestion({
  extension,
  callers,
  message,
  schema,
}: ElicitRequest): HostRequest {
  const chains = [...new Set(callers.map(({ chain }) => chain.join(" > ")))].join(", ");
  const who = `The MCP server ${plainLine(extension, nameCharacters)}, used by ${plainLine(chains, nameCharacters)}, asks:`;
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

/** What the user said; what cannot be read is no answer. */
export function readExtensionAnswer(given: unknown): ElicitAnswer {
  const { success, data } = response.safeParse(given);
  return success ? data : { action: "cancel" };
}
