import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Model, ModelTool, WebSource } from "../../model/model.ts";
import type { Usage } from "../../run/usage.ts";
import { createInputEstimate } from "../budget/input-estimate.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { type AskSettings, createBudgetedModel } from "./budgeted-model.ts";
import { askInTurn, createModelChain, createSingleModel, type ModelChain } from "./model-chain.ts";
import { RunFailed } from "../run-failed.ts";
import type { RecordedReply } from "./turns.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Services for single requests to models. */
export interface AskServices extends AskSettings {
  /** `family` is the root of the requesting run. */
  resolveModel: (reference: string, family?: string) => Promise<Model>;
  resolveDefaultModel: () => Promise<Model>;
}

/** A single request to a model, outside any conversation. */
export interface SingleRequest {
  prompt: LanguageModelV4Prompt;
  tools?: readonly ModelTool[];
  /** See `ModelRequest.webSearch`. */
  webSearch?: boolean;
  /** `provider:model` or an alias. Absent = the run's model, or the default. */
  model?: string | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  effort?: "low" | "medium" | "high" | undefined;
}

/** An answer as the journal stores it. */
export interface Answer extends RecordedReply {
  /** The pages that the provider found. */
  sources?: readonly WebSource[];
  usage: Usage;
  cost: number | null;
  /** `provider:model`. */
  model: string;
  durationMs: number;
}

/**
 * Asks a model once, as a durable step with the key `key`, within the budget of the run.
 *
 * @throws RunFailed `model-error` when the provider's filter stopped the answer, `limit-exceeded` when the question is too long
 * for the model, and the errors of a model request.
 */
export async function askOnce(
  services: AskServices,
  run: RunContext,
  question: SingleRequest,
  key: string,
): Promise<Answer> {
  const answer = await run.steps.do<Answer>(
    { key, kind: "model", prompt: question.prompt },
    async () => {
      run.signal.throwIfAborted();
      const before = performance.now();
      const models = await chooseModels(services, run, question);
      const { prompt, tools = [], webSearch, temperature, topP, effort } = question;
      const budgetedModel = createBudgetedModel({
        models,
        settings: services,
        request: {
          tools,
          ...omitUndefined({ webSearch, temperature, topP, effort }),
        },
      });
      // The answer is not part of the run's text.
      const own = { ...run, conclusion: { text: "" } };
      const inputTokens = createInputEstimate(tools).estimate(prompt);
      const position = { key, before: "", inputTokens };
      const { usage, cost, ...reply } = await askInTurn(models, position.key, () =>
        budgetedModel.ask(own, prompt, position),
      );
      const durationMs = Math.round(performance.now() - before);
      return {
        value: { ...reply, usage, cost, model: models.current().id, durationMs },
        usage,
        cost,
      };
    },
  );
  for (const warning of answer.warnings) run.warnings.add(warning);
  if (answer.finish !== "content-filter") return answer;
  const message = "The model did not finish: the provider's content filter stopped its answer.";
  throw new RunFailed({ code: "model-error", message });
}

/** Returns the text of an answer. */
export function replyText({ parts }: Pick<RecordedReply, "parts">): string {
  return parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
}

/** Returns the models of the run, or the one that the request names. */
async function chooseModels(
  { resolveModel, resolveDefaultModel }: AskServices,
  run: RunContext,
  { model }: SingleRequest,
): Promise<ModelChain> {
  if (model !== undefined) return createSingleModel(await resolveModel(model, run.spec.rootId));
  if (run.spec.model === null) return createSingleModel(await resolveDefaultModel());
  return await createModelChain(resolveModel, run, run.spec.model);
}
