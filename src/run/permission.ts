/** The permission modes; {@link PermissionMode} describes each. */
export const permissionModes = [
  "plan",
  "read-only",
  "deny",
  "ask",
  "accept-edits",
  "auto",
] as const;

/**
 * A permission mode: `plan` only reads; `read-only` also runs commands, in a sandbox that cannot write; `deny` refuses every
 * call that `ask` would ask about; `ask` asks before edits and commands; `accept-edits` asks before commands only; `auto` never
 * asks.
 */
export type PermissionMode = (typeof permissionModes)[number];

/** Permission rules, each `Tool` or `Tool(pattern)`, such as `Bash(git status*)` or `Write(docs/**)`. */
export interface PermissionRules {
  allow: readonly string[];
  ask: readonly string[];
  deny: readonly string[];
  /** Rules in order, of which the last match decides. They apply in addition to the other lists. */
  ordered?: readonly OrderedRule[];
}

/**
 * A rule of an ordered list, in which later rules are exceptions to earlier ones: `deny Bash`, `allow Bash(git *)`
 * allows git and denies every other command.
 */
export interface OrderedRule {
  decision: "allow" | "ask" | "deny";
  rule: string;
}

/**
 * The permissions of one run. A run also carries the policies of its ancestors, and the strictest one decides each
 * call, so that a child never has more permissions than its parent.
 */
export interface PermissionPolicy {
  mode: PermissionMode;
  rules: PermissionRules;
  /**
   * The owner of the policy, such as `the configuration`, `agent reviewer` or `the request for reviewer`. Absent in journals of
   * earlier versions.
   */
  from?: string;
  /** The policy has rules and no mode: a call that no rule matches is left to the other levels. Its `mode` is `auto`. */
  hasOnlyRules?: true;
}

/** The decision of one permission level about a call. The strictest level counts. */
export interface LevelDecision {
  decision: "allow" | "ask" | "deny";
  /** For example `mode ask of the configuration`. */
  reason: string;
}

/** How a call was allowed or denied without a question. */
export interface CallPermission {
  /** The decision of each permission level about the call, from the root run down. */
  levels: readonly LevelDecision[];
  /** The user's earlier answer that allows the call although the levels require a question: `always`, or a rule. */
  grant?: string;
}

/** A request for the user's approval of a tool call. Plain JSON; stored until it is answered. */
export interface ApprovalRequest {
  runId: string;
  /** The step that waits for the answer; unique within the run. */
  stepKey: string;
  tool: string;
  /** The call in one line, for example `Bash: npm test`. */
  title: string;
  /** The text that rules are matched against, such as the command line or the path. */
  subject: string;
  /** The call's arguments as received from the model. */
  input: unknown;
  /** The files or folders that the call affects, absolute. Absent when they are unknown, as for a command. */
  paths?: readonly string[];
  /** The agents from the root run down to the asking run. */
  chain: readonly string[];
  /** Why approval is needed, such as `mode ask of the configuration` or `rule Bash(rm *) of agent reviewer`. */
  reason: string;
  /** The decision of each permission level about the call, from the root run down. Absent in journals of earlier versions. */
  levels?: readonly LevelDecision[];
  /** A narrow rule that would allow this call and similar ones, such as `Bash(npm test*)`. Absent in journals of earlier versions. */
  proposal?: string;
}

/**
 * The user's answer. `always` also allows later calls with the same tool and subject in this family. `rule` also allows later
 * calls that the rule covers; the rule must cover this call too. Neither allows a call that a rule or a mode denies.
 */
export type ApprovalAnswer =
  | { decision: "allow"; scope: "once" | "always" }
  | { decision: "allow"; scope: "rule"; rule: string }
  | { decision: "deny"; reason?: string };

/** Describes an answer in a few words, such as `allowed (once)` or `denied: not on Fridays`. */
export function describeApproval(answer: ApprovalAnswer): string {
  if (answer.decision === "deny") {
    return answer.reason === undefined ? "denied" : `denied: ${answer.reason}`;
  }
  return answer.scope === "rule"
    ? `allowed by the rule ${answer.rule}`
    : `allowed (${answer.scope})`;
}
