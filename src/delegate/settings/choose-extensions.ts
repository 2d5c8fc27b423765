import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { CadreError } from "../../errors.ts";
import { checkExtensionTrust } from "../../extension/extension-trust.ts";
import { inheritExtension, storeExtension } from "../../extension/stored-extension.ts";
import {
  gooseExtensionNames,
  toGooseName,
  toolsForExtension,
} from "../../recipe/goose-extension.ts";
import type { ExtensionConfig, StoredExtension } from "../../run/extension-config.ts";
import type { RunSpec } from "../../run/run.ts";
import { didYouMean } from "../../source/nearest.ts";
import type { Assignment, Origin } from "../assignment.ts";
import { toolsOfExtensions } from "./tools-of-extensions.ts";

/** The known extensions. */
export interface ExtensionSource {
  /** The extensions of the configuration. */
  configured: readonly ExtensionConfig[];
  isTrusted: (path: string) => boolean;
}

/** The extensions of a run: servers, tool restrictions, and the tools of extensions that a call names. */
export interface ChosenExtensions extends Pick<RunSpec, "extensions" | "parentTools" | "warnings"> {
  tools?: readonly string[];
}

/**
 * Chooses the extensions of a run: the call's, otherwise its definition's, otherwise its parent's. A root run gets all configured
 * ones.
 *
 * @throws CadreError `invalid-argument` for an unknown name, with the known ones; `not-trusted`.
 */
export function chooseExtensions(
  source: ExtensionSource,
  { definition, extensions: asked, hasToolsBesideParent = false }: Assignment,
  origin: Origin | undefined,
): ChosenExtensions {
  const inherited = inheritedOf(source, origin?.spec);
  const { chosen, warnings } = ownOf(source, definition, inherited);
  const bound = hasToolsBesideParent ? origin?.spec.parentTools : origin?.toolNames;
  const parentTools = bound ?? null;
  if (asked === undefined) return toChosen(chosen, parentTools, warnings);
  const names = asked.map(toGooseName);
  const all = [
    ...chosen,
    ...inherited.filter(({ name }) => !chosen.some((one) => one.name === name)),
  ];
  checkNames(names, all);
  const servers = all.filter(({ name }) => names.includes(name));
  const given = toolsOfExtensions(definition, {
    names,
    servers,
    parentTools: origin?.toolNames ?? null,
  });
  const { tools } = given;
  return { ...toChosen(servers, parentTools, [...warnings, ...given.warnings]), tools };
}

function toChosen(
  extensions: readonly StoredExtension[],
  parentTools: readonly string[] | null,
  warnings: readonly string[],
): ChosenExtensions {
  return { ...(extensions.length > 0 && { extensions }), parentTools, warnings };
}

function inheritedOf(
  { configured }: ExtensionSource,
  parent: RunSpec | undefined,
): readonly StoredExtension[] {
  if (parent !== undefined) return (parent.extensions ?? []).map(inheritExtension);
  return configured.map((config) => storeExtension(config, { kind: "configuration" }));
}

/**
 * Returns the extensions that a definition names or defines. It gets its own extensions although its parent does not have their
 * tools.
 */
function ownOf(
  { configured, isTrusted }: ExtensionSource,
  { name: agent, extensions, source }: AgentDefinition,
  inherited: readonly StoredExtension[],
): { chosen: readonly StoredExtension[]; warnings: string[] } {
  if (extensions === undefined) return { chosen: inherited, warnings: [] };
  const brought = extensions.filter((extension) => typeof extension !== "string");
  if (source.scope !== "user" && source.path !== null) {
    checkExtensionTrust(brought, { path: source.path, isTrusted });
  }
  const chosen: StoredExtension[] = [];
  const warnings: string[] = [];
  // Its own extension takes precedence over another with the same name.
  const named = new Set(extensions.map((one) => (typeof one === "string" ? one : one.name)));
  for (const extension of extensions) {
    if (extension === "*") {
      chosen.push(...inherited.filter(({ name }) => !named.has(name)));
      continue;
    }
    if (typeof extension !== "string") {
      const origin = { kind: "agent", agent, path: source.path } as const;
      chosen.push(storeExtension(extension, origin, true));
      continue;
    }
    const known = inherited.find(({ name }) => name === extension);
    const config = configured.find(({ name }) => name === extension);
    if (known !== undefined) chosen.push(known);
    else if (config !== undefined) {
      chosen.push(storeExtension(config, { kind: "configuration" }, true));
    } else {
      warnings.push(
        `Agent ${agent} names the extension ${extension}, which is not configured (extensions in .cadre/config.yaml). It ran without it.`,
      );
    }
  }
  return { chosen, warnings };
}

function checkNames(names: readonly string[], all: readonly StoredExtension[]): void {
  const there = [...all.map(({ name }) => name), ...gooseExtensionNames.filter(hasTools)];
  const unknown = names.filter((name) => !there.includes(name));
  const [first] = unknown;
  if (first === undefined) return;
  const message = `There is no extension ${unknown.map((name) => `"${name}"`).join(", ")}.${didYouMean(first, there)} Available: ${there.join(", ")}. Omit extensions to get all of the parent's; [] means none.`;
  throw new CadreError("invalid-argument", message, { details: { unknown, available: there } });
}

function hasTools(name: string): boolean {
  return (toolsForExtension(name) ?? []).length > 0;
}
