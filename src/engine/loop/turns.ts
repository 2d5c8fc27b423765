import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelReply } from "../../model/model.ts";
import type { CompactSize } from "../../run/event.ts";
import { estimateTokens } from "../../model/request/estimate-tokens.ts";
import { createInputEstimate, type InputEstimate } from "../budget/input-estimate.ts";
import { compactConversation, isKept } from "../conversation/compact.ts";
import { dropReasoning } from "../conversation/drop-reasoning.ts";
import { isOverflow } from "../conversation/overflow.ts";
import { isRepeatable, repeatChanges } from "../conversation/prompt-changes.ts";
import {
  type BudgetedModel,
  createBudgetedModel,
  type BudgetedModelOptions,
} from "./budgeted-model.ts";
import { askInTurn, type ModelChain } from "./model-chain.ts";
import type { ChooseTool } from "./tool-choice.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { modelKey } from "./model-key.ts";
import { hookBeforeCompaction } from "./loop-hooks.ts";
import type { RunContext } from "../run-context/run-context.ts";
import type { StepOutcome } from "../run-context/steps.ts";

/** A reply as the journal stores it, without its cost, which has separate fields. */
export interface RecordedReply extends Pick<
  ModelReply,
  "parts" | "finish" | "response" | "warnings"
> {
  /** The model that gave the reply, `provider:model`; absent = the model of the spec. */
  model?: string;
}

/** The model's side of a conversation. */
export interface Turns {
  /** Returns the model in use. */
  model(): string;
  /**
   * Asks the model for its next reply as a durable step, and compacts `prompt` in place when it is too long. `before` is the text
   * of earlier replies that belongs to the same answer.
   */
  ask(
    run: RunContext,
    prompt: LanguageModelV4Prompt,
    turn: number,
    before: string,
  ): Promise<RecordedReply>;
}

/**
 * A conversation that fills more than `fullShare` of the context is compacted to `compactedShare`. Both are shares of the context
 * that remains after the messages that are never shortened.
 */
const fullShare = 0.8;
const compactedShare = 0.5;

type TurnsOptions = BudgetedModelOptions & { models: ModelChain; chooseTool: ChooseTool };

/** Creates the turns of a conversation with the models of a run. */
export function createTurns(options: TurnsOptions): Turns {
  return new ConversationTurns(options);
}

/** A class instead of closures: its instances share methods, and thousands of runs may wait. */
class ConversationTurns implements Turns {
  readonly #models: ModelChain;
  readonly #chooseTool: ChooseTool;
  readonly #budgetedModel: BudgetedModel;
  readonly #input: InputEstimate;

  constructor(options: TurnsOptions) {
    this.#models = options.models;
    this.#chooseTool = options.chooseTool;
    this.#budgetedModel = createBudgetedModel(options);
    this.#input = createInputEstimate(options.request.tools);
  }

  model(): string {
    return this.#models.current().id;
  }

  async ask(
    run: RunContext,
    prompt: LanguageModelV4Prompt,
    turn: number,
    before: string,
  ): Promise<RecordedReply> {
    const key = modelKey(run, turn);
    const size = repeatPast(run, prompt, key) ? undefined : this.#sizeBefore(run, prompt, turn);
    if (size !== undefined) await this.#compact(run, prompt, { turn, size });
    const step = { key, kind: "model", prompt } as const;
    const asking = run.steps.do<RecordedReply>(step, () =>
      askModels(this.#models, run, { prompt, key }, () =>
        this.#askWithRoom(run, prompt, { turn, before }),
      ),
    );
    return asking.then((reply) => {
      this.#input.learn(prompt, run.steps.usageOf(key));
      for (const warning of reply.warnings) run.warnings.add(warning);
      return reply;
    });
  }

  #askWithRoom(
    run: RunContext,
    prompt: LanguageModelV4Prompt,
    { turn, before }: { turn: number; before: string },
  ): Promise<ModelReply> {
    const key = modelKey(run, turn);
    const call = { key, before, ...omitUndefined({ toolChoice: this.#chooseTool(turn) }) };
    const ask = (): Promise<ModelReply> => {
      const inputTokens = this.#input.estimate(prompt);
      return this.#budgetedModel.ask(run, prompt, { ...call, inputTokens });
    };
    return ask().catch((error: unknown) => {
      if (!isOverflow(error)) throw error;
      // The provider counts more tokens than the estimate, and rarely says how many. A model that took over may accept fewer.
      const size = sizeOfHalf(prompt, this.#room(prompt));
      if (!makeRoom(run, prompt, { turn, size })) throw error;
      return ask();
    });
  }

  /**
   * Returns the size to which the conversation is compacted before the request of `turn`; `undefined` when it is not compacted.
   */
  #sizeBefore(
    run: RunContext,
    prompt: LanguageModelV4Prompt,
    turn: number,
  ): CompactSize | undefined {
    const room = this.#room(prompt);
    // An execution that was interrupted before the reply has already shortened it.
    const isRequested =
      run.spec.compact === true && turn === 1 && !run.promptChanges.has(modelKey(run, turn));
    return sizeToReach(prompt, room) ?? (isRequested ? sizeOfHalf(prompt, room) : undefined);
  }

  #room(prompt: LanguageModelV4Prompt): number {
    return this.#input.room(prompt, this.#models.current().contextTokens);
  }

  /** Compacts the conversation, unless a hook keeps it whole. */
  async #compact(
    run: RunContext,
    prompt: LanguageModelV4Prompt,
    { turn, size }: Wanted,
  ): Promise<void> {
    const event = { turn, model: this.model(), messages: prompt.length };
    if (await hookBeforeCompaction(run, event)) return;
    makeRoom(run, prompt, { turn, size });
  }
}

/** Asks the model in use, and the next ones when it fails for good. */
function askModels(
  models: ModelChain,
  { spec }: RunContext,
  { prompt, key }: { prompt: LanguageModelV4Prompt; key: string },
  ask: () => Promise<ModelReply>,
): Promise<StepOutcome<RecordedReply>> {
  const asking = askInTurn(models, key, ask, () => dropReasoning(prompt));
  return asking.then(({ usage, cost, ...reply }) => {
    const { id } = models.current();
    return { value: { ...reply, ...(id !== spec.model && { model: id }) }, usage, cost };
  });
}

/** Repeats the changes of earlier executions to `prompt` before a step. Returns `true` when no other change can follow. */
function repeatPast(
  { promptChanges, steps }: RunContext,
  prompt: LanguageModelV4Prompt,
  key: string,
): boolean {
  const past = promptChanges.get(key) ?? [];
  repeatChanges(prompt, past);
  // Journals of earlier versions do not record the size to which a conversation was compacted.
  return steps.isRecorded(key) && past.every(isRepeatable);
}

/** Compacts `prompt` in place. Returns `false` when nothing could be removed. */
function makeRoom(run: RunContext, prompt: LanguageModelV4Prompt, wanted: Wanted): boolean {
  const { turn, size } = wanted;
  const { prompt: shorter, removedCharacters, summary } = compactConversation(prompt, size);
  if (removedCharacters === 0) return false;
  prompt.splice(0, prompt.length, ...shorter);
  // A resume repeats the compactions of recorded turns, whose events are in the journal.
  if (!run.steps.isRecorded(modelKey(run, turn))) {
    const what = { turn, removedCharacters, size, summary };
    run.registry.append(run.spec.id, { type: "conversation-compacted", ...what });
  }
  return true;
}

/** The size to which a conversation is compacted, and the turn that needs it. */
interface Wanted {
  turn: number;
  size: CompactSize;
}

/** Returns the size to which a conversation that fills too much of `room` is compacted; `undefined` when it fits. */
function sizeToReach(prompt: LanguageModelV4Prompt, room: number): CompactSize | undefined {
  const tokens = estimateTokens(prompt);
  // The limit is never below this share of the room, however much of the conversation is never shortened.
  if (tokens <= room * fullShare) return undefined;
  const limit = sizeWithin(prompt, room, fullShare);
  if (tokens <= limit) return undefined;
  return { limit, target: sizeWithin(prompt, room, compactedShare) };
}

/** Returns half the size of a conversation, or of `room` when that is smaller. */
function sizeOfHalf(prompt: LanguageModelV4Prompt, room: number): CompactSize {
  const half = sizeWithin(prompt, Math.min(estimateTokens(prompt), room), compactedShare);
  return { target: half, limit: half };
}

/** Returns the size of a conversation that keeps the protected messages whole and fills `share` of the rest of `room`. */
function sizeWithin(prompt: LanguageModelV4Prompt, room: number, share: number): number {
  const kept = estimateTokens(prompt.filter(isKept));
  return kept + Math.max(0, room - kept) * share;
}
