import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelTool } from "../../model/model.ts";
import {
  estimateTokens,
  estimateToolTokens,
  measureMessage,
} from "../../model/request/estimate-tokens.ts";
import type { Usage } from "../../run/usage.ts";

/** Estimates the input of the requests of one conversation. */
export interface InputEstimate {
  /** Returns the approximate number of input tokens of a request with `prompt`. */
  estimate(prompt: LanguageModelV4Prompt): number;
  /**
   * Returns how many tokens, estimated from characters, the messages of `prompt` may have in a request of at most `tokens`. The
   * number is lower if the provider counted more for this conversation than its characters suggest.
   */
  room(prompt: LanguageModelV4Prompt, tokens: number): number;
  /** Records the provider's token count for the request with `prompt`, when there is one. */
  learn(prompt: LanguageModelV4Prompt, usage: Usage | undefined): void;
}

/** The last request that the provider counted. */
interface Counted {
  estimated: number;
  /** The number of its messages; the next message is the reply. */
  messages: number;
  inputTokens: number;
  replyTokens: number;
}

/**
 * Bases each estimate on the provider's count of the previous request and its reply, and estimates only newer messages from their
 * characters. Estimates the first request of a conversation as a whole.
 */
export function createInputEstimate(tools: readonly ModelTool[]): InputEstimate {
  return new ConversationEstimate(tools);
}

/** A class instead of closures: its instances share methods, and thousands of runs may wait. */
class ConversationEstimate implements InputEstimate {
  readonly #toolTokens: number;
  #last: Counted | undefined;

  constructor(tools: readonly ModelTool[]) {
    this.#toolTokens = estimateToolTokens(tools);
  }

  estimate(prompt: LanguageModelV4Prompt): number {
    return this.#correct(prompt, this.#measure(prompt));
  }

  room(prompt: LanguageModelV4Prompt, tokens: number): number {
    const measured = this.#measure(prompt);
    const density = this.#correct(prompt, measured) / measured;
    return tokens / Math.max(1, density) - this.#toolTokens;
  }

  learn(prompt: LanguageModelV4Prompt, usage: Usage | undefined): void {
    if (usage === undefined || usage.inputTokens === 0) return;
    const { inputTokens, outputTokens, reasoningTokens } = usage;
    this.#last = {
      estimated: this.#measure(prompt),
      messages: prompt.length,
      inputTokens,
      replyTokens: Math.max(0, outputTokens - reasoningTokens),
    };
  }

  /** Estimates the tokens of a request from its characters alone. */
  #measure(prompt: LanguageModelV4Prompt): number {
    return estimateTokens(prompt) + this.#toolTokens;
  }

  /** Corrects an estimate by the provider's last count. */
  #correct(prompt: LanguageModelV4Prompt, estimated: number): number {
    const last = this.#last;
    if (last === undefined) return estimated;
    // Compaction shrinks a conversation by the difference of the estimates.
    if (estimated < last.estimated) {
      return Math.ceil((last.inputTokens * estimated) / last.estimated);
    }
    const reply = prompt[last.messages];
    const added = estimated - last.estimated;
    if (reply?.role !== "assistant") return last.inputTokens + added;
    // The reply was counted as output.
    return Math.ceil(last.inputTokens + last.replyTokens + added - measureMessage(reply).tokens);
  }
}
