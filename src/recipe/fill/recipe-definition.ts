import type { ExtensionConfig } from "../../run/extension-config.ts";
import { serverPrefix } from "../../run/server-name.ts";
import type { RetryPolicy } from "../../run/retry-policy.ts";
import type { JsonObject } from "../../source/json.ts";
import { toolsForExtension, toolsForGooseTool } from "../goose-extension.ts";
import { textsIn } from "../template/leaves.ts";
import type { RecipeExtension, RecipeFields, RecipeSettings } from "../recipe.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The agent definition of a recipe. Fields have the names of `AgentDefinition`. */
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

/** Converts the fields of a recipe, filled or not, to a definition. */
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
    ...omitUndefined({ model, temperature: settings.temperature, maxTurns: settings.maxTurns }),
    ...(extensions !== undefined && toTools(fields, extensions)),
    ...omitUndefined({ outputSchema, retry }),
  };
}

function toModel({ provider, model }: RecipeSettings): string | undefined {
  if (model === undefined || model === "") return undefined;
  return provider === undefined || provider === "" ? model : `${provider}:${model}`;
}

/**
 * Returns the tools of an agent with a list of extensions: the extensions' tools, and the tool for sub-recipes if there are any.
 */
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
 * Reports whether a recipe names a tool of a server, in `available_tools` or as `server__tool` in any of its texts. Such a recipe
 * needs that server. goose drops spaces from server names and ignores case.
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
