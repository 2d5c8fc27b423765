import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Clock } from "../clock.ts";
import { CadreError } from "../errors.ts";
import type { ScriptConversation } from "../model/script/script-conversation.ts";
import { checkRules } from "../model/script/script-file.ts";
import { createScript, type ScriptRule } from "../model/script/script-rule.ts";
import { createScriptedModel, type Script } from "../model/script/scripted-model.ts";
import { omitUndefined } from "../omit-undefined.ts";

/** A model in memory that replies as its script says. */
export interface ScriptedModel extends LanguageModelV4 {
  /** The requests so far, in order. */
  readonly requests: readonly ScriptConversation[];
  /** The errors of requests without a matching rule, in order. */
  readonly unmatched: readonly CadreError[];
}

/** Options of {@link scriptedModel}. */
export interface ScriptedModelOptions {
  /** The name in the model's id, `scripted:NAME`. Default `test`. */
  name?: string;
  /** The clock that measures `delayMs` of replies. Default: the machine's clock. */
  clock?: Clock;
}

/**
 * Creates a model that replies by rules, in the form of script files (docs/models.md), or by a function. A request without a
 * matching rule fails with `model-error`; the message shows the end of the conversation, and why each rule does not match.
 *
 * @throws CadreError `invalid-argument` that lists the problems of the rules.
 */
export function scriptedModel(
  script: readonly ScriptRule[] | Script,
  { name = "test", clock }: ScriptedModelOptions = {},
): ScriptedModel {
  const reply = typeof script === "function" ? script : createScript(check(script), "the script");
  const requests: ScriptConversation[] = [];
  const unmatched: CadreError[] = [];
  const model = createScriptedModel(
    (conversation) => {
      requests.push(conversation);
      return reply(conversation);
    },
    {
      id: name,
      ...omitUndefined({ clock }),
      onUnmatched: (error) => unmatched.push(error),
    },
  );
  return { ...model, requests, unmatched };
}

function check(rules: readonly ScriptRule[]): readonly ScriptRule[] {
  const problems = checkRules(rules);
  if (problems.length === 0) return rules;
  const lines = problems.map((problem) => `\n- ${problem}`).join("");
  throw new CadreError("invalid-argument", `The rules of scriptedModel are not valid:${lines}`);
}
