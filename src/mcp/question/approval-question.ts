import { z } from "zod";
import { type ApprovalAnswer, type ApprovalRequest, plainLine, plainText } from "../../host.ts";
import type { HostRequest } from "./question-pool.ts";
import { omitUndefined } from "../../omit-undefined.ts";

const choices = ["allow once", "allow always", "allow the rule", "deny"] as const;

/** The maximum number of characters of a call's arguments in a question. */
const inputCharacters = 2000;
const titleCharacters = 300;

/** Creates the question whether a tool may run, with the agents, the action and the reason for asking. */
export function toApprovalQuestion(request: ApprovalRequest): HostRequest {
  const { chain, title, reason, tool, input, proposal } = request;
  const json = JSON.stringify(input, null, 2) ?? "";
  const more = json.length > inputCharacters ? "\n…" : "";
  const message = [
    `${plainLine(chain.join(" > "), titleCharacters)} wants to use ${plainLine(tool, titleCharacters)}: ${plainLine(title, titleCharacters)}`,
    `Asked because of ${plainLine(reason, titleCharacters)}.`,
    plainText(`${json.slice(0, inputCharacters)}${more}`),
  ].join("\n\n");
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message,
      requestedSchema: {
        type: "object",
        properties: {
          decision: { type: "string", title: "Decision", enum: [...choices] },
          rule: {
            type: "string",
            title: "Rule",
            description:
              "For `allow the rule`: the calls that this family of runs may make without asking.",
            ...omitUndefined({ default: proposal }),
          },
          reason: { type: "string", title: "Why not", description: "Told to the agent." },
        },
        required: ["decision"],
      },
    },
  };
}

const response = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z
    .object({
      decision: z.enum(choices),
      rule: z.string().optional(),
      reason: z.string().optional(),
    })
    .optional(),
});

/** Parses the user's answer. Anything but a clear yes is a denial. */
export function readApproval(given: unknown): ApprovalAnswer {
  const { success, data } = response.safeParse(given);
  if (!success) return { decision: "deny", reason: "the client's answer could not be read" };
  if (data.action === "cancel") return { decision: "deny", reason: "the user did not answer" };
  const { decision, rule, reason } = data.content ?? {};
  if (data.action === "accept" && decision === "allow once") {
    return { decision: "allow", scope: "once" };
  }
  if (data.action === "accept" && decision === "allow always") {
    return { decision: "allow", scope: "always" };
  }
  if (data.action === "accept" && decision === "allow the rule") {
    if (rule !== undefined && rule !== "") return { decision: "allow", scope: "rule", rule };
    return { decision: "deny", reason: "the user allowed a rule and named none" };
  }
  return { decision: "deny", ...(reason !== undefined && reason !== "" && { reason }) };
}
