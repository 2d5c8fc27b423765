import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Model, ModelTool } from "../model/model.ts";
import type { Usage } from "../run/usage.ts";
import { createInputEstimate } from "./budget/input-estimate.ts";
import type { Session } from "./session.ts";
import { type AskSettings, createSpeaker } from "./speaker.ts";
import { RunFailed } from "./to-failure.ts";
import type { RecordedReply } from "./turns.ts";

/** Where the models of single questions come from, and how they are asked. */
export interface AskServices extends AskSettings {
  resolveModel: (reference: string) => Promise<Model>;
  resolveDefaultModel: () => Promise<Model>;
}

/** A question that is no turn of a conversation. */
export interface Question {
  prompt: LanguageModelV4Prompt;
  tools?: readonly ModelTool[];
  /** `provider:model` or an alias. Absent = the run's, else the default. */
  model?: string | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  effort?: "low" | "medium" | "high" | undefined;
}

/** What the journal keeps of an answer. */
export interface Answer extends RecordedReply {
  usage: Usage;
  cost: number | null;
  /** `provider:model`. */
  model: string;
  durationMs: number;
}

/**
 * Asks a model once, as a durable step with the key `key`, within the budget of the run.
 *
 * @throws RunFailed `model-error` for an answer that the provider's filter stopped, `limit-exceeded` for a question that is too
 * long for the model, and what asking a model throws.
 */
export async function askOnce(
  services: AskServices,
  session: Session,
  question: Question,
  key: string,
): Promise<Answer> {
  const answer = await session.steps.do<Answer>({ key, kind: "model" }, async () => {
    session.signal.throwIfAborted();
    const before = performance.now();
    const model = await chooseModel(services, session, question);
    const { prompt, tools = [], temperature, topP, effort } = question;
    const speaker = createSpeaker({
      model,
      fallback: undefined,
      settings: services,
      request: {
        tools,
        ...(temperature !== undefined && { temperature }),
        ...(topP !== undefined && { topP }),
        ...(effort !== undefined && { effort }),
      },
    });
    // What a model says here is not what the run has to say.
    const own = { ...session, said: { text: "" } };
    const inputTokens = createInputEstimate(tools).estimate(prompt);
    const place = { key, before: "", inputTokens };
    const { usage, cost, ...reply } = await speaker.ask(own, prompt, place);
    const durationMs = Math.round(performance.now() - before);
    return { value: { ...reply, usage, cost, model: model.id, durationMs }, usage, cost };
  });
  for (const warning of answer.warnings) session.warnings.add(warning);
  if (answer.finish !== "content-filter") return answer;
  const message = "The model did not finish: the provider's content filter stopped its answer.";
  throw new RunFailed({ code: "model-error", message });
}

/** The words of an answer. */
export function textOf({ parts }: Pick<RecordedReply, "parts">): string {
  return parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
}

async function chooseModel(
  { resolveModel, resolveDefaultModel }: AskServices,
  { spec }: Session,
  { model = spec.model ?? undefined }: Question,
): Promise<Model> {
  return model === undefined ? await resolveDefaultModel() : await resolveModel(model);
}
