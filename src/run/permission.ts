/**
 * How much a run may do without being asked, from the most to the least careful reader:
 * `plan` reads only; `read-only` also runs commands, in a sandbox that cannot write; `deny` refuses whatever would need asking; `ask` asks before edits and commands;
 * `accept-edits` asks before commands only; `auto` asks nothing.
 */
export const permissionModes = [
  "plan",
  "read-only",
  "deny",
  "ask",
  "accept-edits",
  "auto",
] as const;

/** One of {@link permissionModes}. */
export type PermissionMode = (typeof permissionModes)[number];

/** Rules are written `Tool` or `Tool(pattern)`, such as `Bash(git status*)` or `Write(docs/**)`. */
export interface PermissionRules {
  allow: readonly string[];
  ask: readonly string[];
  deny: readonly string[];
  /** Looked at together with the others; of these the last one that matches counts. */
  ordered?: readonly OrderedRule[];
}

/**
 * A rule of a list in which later ones are exceptions to earlier ones: `deny Bash`, `allow Bash(git *)` leaves git and
 * refuses every other command.
 */
export interface OrderedRule {
  decision: "allow" | "ask" | "deny";
  rule: string;
}

/**
 * What one level of a family allows. A run carries the policies of its ancestors and its own; a call is decided by
 * the strictest of them, so a child can never have more than its parent.
 */
export interface PermissionPolicy {
  mode: PermissionMode;
  rules: PermissionRules;
}

/** A question put to the user before a tool runs. Plain JSON; stored until it is answered. */
export interface ApprovalRequest {
  runId: string;
  /** The step that waits for the answer; unique within the run. */
  stepKey: string;
  tool: string;
  /** What the call would do, in one line, such as `Bash: npm test`. */
  title: string;
  /** What rules are matched against, such as the command line or the path. */
  subject: string;
  /** The call's arguments as the model gave them. */
  input: unknown;
  /** Who asks: the agents from the root run down to the asking one. */
  chain: readonly string[];
  /** Why it needs asking, such as `mode ask` or `rule Bash(rm *)`. */
  reason: string;
}

/** The user's answer. `always` also allows later calls with the same tool and subject in this family. */
export type ApprovalAnswer =
  | { decision: "allow"; scope: "once" | "always" }
  | { decision: "deny"; reason?: string };
