// `.aip` agents as programs: their access to files, commands, the web and models becomes steps.

import { readAipDefaults } from "../../aip/location/aip-defaults.ts";
import { readAipOptions } from "../../aip/document/aip-options.ts";
import type { AipResponse } from "../../aip/location/aip-port.ts";
import { parseAip } from "../../aip/document/parse-aip.ts";
import { packAround } from "../../aip/location/resolve-aip.ts";
import { runAip } from "../../aip/run-aip.ts";
import type { InternalProgram } from "../../engine/program/internal-context.ts";
import { isDenial } from "../../engine/tool-call/tool-step.ts";
import { messageOf, RunFailed, toFailure } from "../../engine/run-failed.ts";
import { CadreError } from "../../errors.ts";
import type { JsonValue } from "../../source/json.ts";
import { type AipServices, createAipPort } from "./aip-port.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Creates the program that executes an `.aip` agent, with the file as it was when the run was created. */
export function createAipProgram(services: AipServices): InternalProgram {
  return {
    async run(_, context) {
      const { definition, spec, warn, signal } = context;
      const { name, systemPrompt: text } = definition;
      const path = definition.source.path ?? "";
      const { home, isWorkspaceTrusted } = services;
      const folders = { workspace: spec.workspace, home, isWorkspaceTrusted };
      const aip = parseAip(text, path);
      for (const { severity, message, line } of aip.diagnostics) {
        if (severity === "warning") warn(`${path}:${line}: ${message}`);
      }
      const { options: defaults, diagnostics } = await readAipDefaults(folders);
      for (const { path: file, line, message } of diagnostics) warn(`${file}:${line}: ${message}`);
      const pack = packAround(path, folders);
      const invocation = {
        name,
        inputs: spec.inputs,
        defaults,
        options: readAipOptions(spec.options).options,
        ...omitUndefined({ pack }),
        ...(spec.reportsRedo === true && { reportsRedo: true }),
      };
      try {
        return conclude(await runAip(aip, invocation, createAipPort(context, services)));
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RunFailed) throw error;
        // Errors of scripts stay as they are: they begin with file and line.
        throw new RunFailed(
          error instanceof CadreError
            ? toFailure(error)
            : {
                ...toFailure(error),
                code: isDenial(messageOf(error)) ? "permission-denied" : "internal",
              },
        );
      }
    },
  };
}

function conclude(response: AipResponse): { text: string; output: JsonValue } {
  const { outputs, after_all: afterAll, skipped } = response;
  const values = (afterAll === null ? outputs : [afterAll]).filter((value) => value !== null);
  const texts = values.map((value) =>
    typeof value === "string" ? value : JSON.stringify(value, null, 2),
  );
  const text = skipped === undefined ? texts.join("\n\n") : `Skipped: ${skipped}`;
  return { text, output: { ...response } };
}
