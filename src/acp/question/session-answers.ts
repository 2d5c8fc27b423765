import { realpathSync } from "node:fs";
import { type ApprovalAnswer, type ApprovalRequest, coversCall } from "../../host.ts";

/** A user's answers that apply to the rest of a session. A turn is a family of runs, which forgets answers when it ends. */
export interface SessionAnswers {
  remember(request: ApprovalRequest, answer: ApprovalAnswer): void;
  /** Returns the earlier answer that covers a call, once for each question. */
  find(request: ApprovalRequest): ApprovalAnswer | undefined;
}

/** Creates an empty list for a session in the folder `cwd`. */
export function createSessionAnswers(cwd: string): SessionAnswers {
  const always = new Set<string>();
  const rules = new Set<string>();
  // A repeated question means that the engine did not accept the rule that answered it.
  const answered = new Set<string>();
  const callOf = ({ tool, subject }: ApprovalRequest): string => JSON.stringify([tool, subject]);

  return {
    remember(request, answer) {
      if (answer.decision === "deny" || answer.scope === "once") return;
      if (answer.scope === "rule") rules.add(answer.rule);
      else always.add(callOf(request));
    },
    find(request) {
      const { runId, stepKey, tool, subject, paths = null } = request;
      const question = `${runId}/${stepKey}`;
      if (answered.has(question)) return undefined;
      const isShell = tool === "Bash";
      const call = {
        tool,
        access: "execute",
        isShell,
        subject,
        paths,
        workspace: realpathSync(cwd),
      } as const;
      const rule = [...rules].find((one) => coversCall(one, call));
      if (!always.has(callOf(request)) && rule === undefined) return undefined;
      answered.add(question);
      return rule === undefined
        ? { decision: "allow", scope: "always" }
        : { decision: "allow", scope: "rule", rule };
    },
  };
}
