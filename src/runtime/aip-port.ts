import type { ProgramContext } from "../agent/program.ts";
import type { AipPort, AipReport } from "../aip/aip-port.ts";
import type { AskServices } from "../engine/ask-once.ts";
import type { Session } from "../engine/session.ts";
import { writeAtomically } from "../tool/atomic-write.ts";
import type { RequestGuard } from "../tool/guarded-request.ts";
import { confine } from "../tool/path-confinement.ts";
import type { Shell } from "../tool/shell.ts";
import { askForAip } from "./aip-ask.ts";
import { type AipDelegation, runForAip } from "./aip-delegation.ts";
import { commandMs, executeCommand, requestWeb } from "./aip-outside.ts";
import { takeAipStep } from "./aip-steps.ts";

/** What `.aip` agents get of everything else. */
export interface AipServices extends AskServices, AipDelegation {
  openShell: () => Promise<Shell>;
  home: string;
  isWorkspaceTrusted: boolean;
  guard?: RequestGuard;
}

/** The world of an `.aip` agent: the steps, permissions and delegations of the run of `session`. */
export function createAipPort(
  session: Session,
  services: AipServices,
  context: Pick<ProgramContext, "log">,
): AipPort {
  const { spec, outputFolder, signal, watchdog, prefix } = session;
  const { workspace, id: runId, parentId } = spec;
  return {
    runId,
    ...(parentId !== null && { parentRunId: parentId }),
    workspace,
    home: services.home,
    isWorkspaceTrusted: services.isWorkspaceTrusted,
    signal,
    ask: (request, key) => askForAip(services, session, request, `${prefix}${key}`),
    runAgent: (call, key) => runForAip(services, session, call, `${prefix}${key}`),
    step: (step, work) => takeAipStep(session, step, work),
    confine,
    write: writeAtomically,
    async execute(command, ending) {
      const { policies } = spec;
      const place = { runId, stepKey: "aip", workspace, outputFolder, signal: ending, policies };
      const work = executeCommand(await services.openShell(), command, place);
      return await watchdog.expectQuietWhile(commandMs, work);
    },
    request: (request, ending) => requestWeb(request, services.guard ?? {}, ending),
    onProgress: () => watchdog.sign(),
    report: (report) => tell(session, context, report),
  };
}

function tell(
  { warnings, spec }: Session,
  { log }: Pick<ProgramContext, "log">,
  report: AipReport,
): void {
  switch (report.type) {
    case "warning":
      warnings.add(`Agent ${spec.agent}: ${report.text}`);
      return;
    case "print":
      return log(report.text);
    case "label":
      return log(report.label);
    case "pin":
      return log(`${report.label ?? report.iden}: ${report.content}`);
    case "skip":
      return log(report.reason === "" ? "Skipped." : `Skipped: ${report.reason}`);
  }
}
