import type { ExtensionConfig } from "../run/extension-config.ts";
import { serverPrefix } from "../run/server-name.ts";
import type { RetryPolicy } from "../run/retry-policy.ts";
import type { JsonObject } from "../source/json.ts";
import { toolsForExtension, toolsForGooseTool } from "./goose-extension.ts";
import { textsIn } from "./leaves.ts";
import type { RecipeExtension, RecipeFields, RecipeSettings } from "./recipe.ts";

/** What a recipe says of the agent that does it; fields of the same names as in `AgentDefinition`. */
export interface RecipeDefinition {
  name: string;
  description: string;
  /** The recipe's instructions; empty when it has none. */
  systemPrompt: string;
  model?: string;
  temperature?: number;
  maxTurns?: number;
  /** Absent = all tools. */
  tools?: readonly string[];
  /** Absent = the parent's. */
  extensions?: readonly ExtensionConfig[];
  outputSchema?: JsonObject;
  retry?: RetryPolicy;
}

/** Turns what a recipe says into a definition, filled or not. */
export function recipeToDefinition(name: string, fields: RecipeFields): RecipeDefinition {
  const { settings, extensions, outputSchema, retry } = fields;
  const model = toModel(settings);
  return {
    name,
    description: fields.description,
    systemPrompt: [fields.instructions ?? "", ...fields.context]
      .map((text) => text.trim())
      .filter((text) => text !== "")
      .join("\n\n"),
    ...(model !== undefined && { model }),
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.maxTurns !== undefined && { maxTurns: settings.maxTurns }),
    ...(extensions !== undefined && toTools(fields, extensions)),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(retry !== undefined && { retry }),
  };
}

function toModel({ provider, model }: RecipeSettings): string | undefined {
  if (model === undefined || model === "") return undefined;
  return provider === undefined || provider === "" ? model : `${provider}:${model}`;
}

/** A list of extensions is all that an agent gets, and what it needs to call its sub-recipes. */
function toTools(
  fields: RecipeFields,
  extensions: readonly RecipeExtension[],
): Pick<RecipeDefinition, "tools" | "extensions"> {
  const tools = new Set<string>(fields.subRecipes.length > 0 ? ["Subagent"] : []);
  const servers: ExtensionConfig[] = [];
  for (const extension of extensions) {
    if (extension.kind === "server") {
      const { config } = extension;
      servers.push(namesTools(fields, config) ? config : { ...config, optional: true });
      tools.add(`${serverPrefix(config.name)}*`);
      continue;
    }
    const { name, availableTools } = extension;
    const offered =
      availableTools === undefined
        ? (toolsForExtension(name) ?? [])
        : availableTools.flatMap((tool) => toolsForGooseTool(tool));
    for (const tool of offered) tools.add(tool);
  }
  return { tools: [...tools], extensions: servers };
}

/**
 * Whether a recipe names a tool of a server, in `available_tools` or as `server__tool` in any of its texts: without that
 * server it cannot be done as it is written. goose drops blanks from the names of servers, and ignores case.
 */
function namesTools(fields: RecipeFields, { name, allow }: ExtensionConfig): boolean {
  if (allow !== undefined) return true;
  const { extensions: _, ...rest } = fields;
  const tool = new RegExp(
    `(?<![\\w-])(?:mcp__)?(?:${name}|${name.replaceAll("_", "")})__[a-z]`,
    "i",
  );
  return textsIn(rest as unknown as JsonObject).some((text) => tool.test(text));
}
