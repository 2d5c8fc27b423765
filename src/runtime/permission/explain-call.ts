// Permission rules for the user: explains decisions and adds rules to configurations.

import { CadreError } from "../../errors.ts";
import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { ownPolicy } from "../../delegate/settings/own-policy.ts";
import { selectTools } from "../../engine/tool-call/select-tools.ts";
import type { LevelDecision, PermissionPolicy } from "../../run/permission.ts";
import { describeRuleProblem, isForAbsentTool } from "../../run/permission-rule.ts";
import { decide } from "../../tool/permission/permission.ts";
import type { PermissionCall } from "../../tool/permission/permission-call.ts";
import { findSandboxProblem } from "../../tool/sandbox/sandbox.ts";
import type { Cadre } from "../cadre.ts";
import { grants } from "../services/create-admission-context.ts";
import { describeCall } from "./describe-call.ts";

/** The decision about an agent's tool call, and who makes it. Plain JSON. */
export interface CallExplanation extends LevelDecision {
  /** The agents from the root run down to the caller. */
  chain: string[];
  tool: string;
  /** The text that rules are matched against. */
  subject: string;
  /**
   * The separate decision of each level: the tools of each agent, then the permissions from the root down. The strictest applies.
   */
  levels: LevelDecision[];
  /** The sandbox that the command would run in; `null` for a call of another tool. */
  sandbox: string | null;
}

/** A call to explain. */
export interface CallToExplain {
  /** The agents from the root run down to the caller. */
  chain: readonly string[];
  /** A tool with its subject, such as `Bash(git push)`. */
  call: string;
  /** The folder that the agents would work in, absolute. */
  workspace: string;
}

/**
 * Explains how an agent's tool call would be decided, and by whom, without executing anything. Hooks and the user's earlier
 * answers are not considered. A tool of an MCP server or of a program counts as one that changes something.
 *
 * @throws CadreError `agent-not-found`; `invalid-argument` for an invalid call.
 */
export async function explainCall(
  cadre: Pick<Cadre, "agents" | "configuration">,
  { chain, call, workspace }: CallToExplain,
): Promise<CallExplanation> {
  const { tool, subject } = readCall(call);
  const agents = await findAgents(cadre, chain);
  const described = await describeCall({ tool, subject, workspace });
  const policies = [grants(cadre.configuration).policy, ...agents.flatMap(ownPolicy)];
  const lacking = agents.flatMap((agent) => lackOf(agent, tool));
  const byPolicies = decideBy(policies, described);
  return {
    chain: [...chain],
    tool,
    subject: described.subject,
    ...(lacking[0] ?? byPolicies.decided),
    levels: [...lacking, ...byPolicies.levels],
    sandbox: described.isShell === true ? await describeSandbox(cadre) : null,
  };
}

function decideBy(
  policies: readonly PermissionPolicy[],
  call: PermissionCall,
): { decided: LevelDecision; levels: readonly LevelDecision[] } {
  const { decision, reason, levels } = decide(policies, call);
  return { decided: { decision, reason }, levels };
}

/** @throws CadreError `invalid-argument`. */
function readCall(call: string): { tool: string; subject: string } {
  const [, tool, subject = ""] = /^([\w*-]+)(?:\((.*)\))?$/s.exec(call.trim()) ?? [];
  const problem =
    tool === undefined
      ? "Write it as Tool or Tool(argument)."
      : tool.includes("*")
        ? "Name one tool."
        : isForAbsentTool(tool)
          ? `There is no tool ${tool}.`
          : describeRuleProblem(tool);
  if (tool !== undefined && problem === null) return { tool, subject };
  const message = `Expected a tool call such as Bash(git push) or Write(docs/a.md), got ${JSON.stringify(call)}. ${problem}`;
  throw new CadreError("invalid-argument", message);
}

async function findAgents(
  cadre: Pick<Cadre, "agents">,
  chain: readonly string[],
): Promise<AgentDefinition[]> {
  const { agents } = await cadre.agents();
  return chain.map((name) => {
    const found = agents.find((agent) => agent.name === name);
    if (found !== undefined) return found;
    const message = `There is no agent ${JSON.stringify(name)}. \`cadre agents\` lists the agents.`;
    throw new CadreError("agent-not-found", message, { details: { agent: name } });
  });
}

/** Returns the denial for an agent that does not have the tool. */
function lackOf(agent: AgentDefinition, tool: string): LevelDecision[] {
  const { tools } = selectTools([{ name: tool }], agent, { parentTools: null });
  if (tools.size > 0) return [];
  return [{ decision: "deny", reason: `the tools of agent ${agent.name}, which have no ${tool}` }];
}

async function describeSandbox({ configuration }: Pick<Cadre, "configuration">): Promise<string> {
  const { mode, network } = configuration.config.sandbox;
  if (mode === "off") return "none, because sandbox.mode is off";
  const problem = await findSandboxProblem();
  if (problem === null) return `bubblewrap, ${describeNetwork(network)}`;
  return mode === "required"
    ? `refused, because sandbox.mode is required and this machine has none: ${problem}`
    : `none, because this machine has none: ${problem}`;
}

function describeNetwork(network: boolean | { allow: readonly string[] }): string {
  if (typeof network === "boolean") return network ? "with network" : "without network";
  return `with the network of ${network.allow.join(", ")} only`;
}
