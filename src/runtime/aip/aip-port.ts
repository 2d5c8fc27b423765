import type { AipPort, AipReport } from "../../aip/location/aip-port.ts";
import type { InternalContext } from "../../engine/program/internal-context.ts";
import { writeAtomically } from "../../tool/control-file/atomic-write.ts";
import { confine } from "../../tool/path/path-confinement.ts";
import type { Shell } from "../../tool/builtin/shell.ts";
import { type AipModels, askForAip } from "./aip-ask.ts";
import { type AipDelegation, runForAip } from "./aip-delegation.ts";
import { commandMs, executeCommand, requestWeb } from "./aip-commands-and-web.ts";
import { takeAipStep } from "./aip-steps.ts";

/** The services for `.aip` agents. */
export interface AipServices extends AipDelegation, AipModels {
  openShell: () => Promise<Shell>;
  home: string;
  isWorkspaceTrusted: boolean;
}

/** Creates the port of an `.aip` agent over the functions of its run. */
export function createAipPort(context: InternalContext, services: AipServices): AipPort {
  const { spec, outputFolder, signal, allowSilence, heartbeat } = context;
  const { workspace, id: runId, parentId } = spec;
  return {
    runId,
    ...(parentId !== null && { parentRunId: parentId }),
    workspace,
    home: services.home,
    isWorkspaceTrusted: services.isWorkspaceTrusted,
    signal,
    ask: (request, key) => askForAip(services, context, request, key),
    runAgent: (call, key) => runForAip(services, context, call, key),
    step: (step, work) => takeAipStep(context, step, work),
    confine,
    write: writeAtomically,
    async execute(command, ending) {
      const { policies } = spec;
      const shellContext = {
        runId,
        stepKey: "aip",
        workspace,
        outputFolder,
        signal: ending,
        policies,
      };
      const work = executeCommand(await services.openShell(), command, shellContext);
      return await allowSilence(commandMs, work);
    },
    request: (request, ending) => requestWeb(request, ending),
    onProgress: heartbeat,
    report: (report) => reportAip(context, report),
  };
}

function reportAip({ warn, spec, program: { log } }: InternalContext, report: AipReport): void {
  switch (report.type) {
    case "warning":
      return warn(`Agent ${spec.agent}: ${report.text}`);
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
