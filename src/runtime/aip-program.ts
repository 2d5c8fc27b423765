import type { ProgramAgent } from "../agent/program.ts";
import { readAipDefaults } from "../aip/aip-defaults.ts";
import { readAipOptions } from "../aip/aip-options.ts";
import type { AipResponse } from "../aip/aip-port.ts";
import { parseAip } from "../aip/parse-aip.ts";
import { packAround } from "../aip/resolve-aip.ts";
import { runAip } from "../aip/run-aip.ts";
import type { Session } from "../engine/session.ts";
import { messageOf, RunFailed, toFailure } from "../engine/to-failure.ts";
import { CadreError } from "../errors.ts";
import type { JsonValue } from "../source/json.ts";
import { type AipServices, createAipPort } from "./aip-port.ts";
import { isDenial } from "./aip-steps.ts";

/** The program that executes an `.aip` agent as the run of `session`: with the file as it was when the run was created. */
export function createAipProgram(session: Session, services: AipServices): ProgramAgent {
  const { definition, spec, warnings } = session;
  const { name, systemPrompt: text } = definition;
  const path = definition.source.path ?? "";
  return {
    name,
    description: "",
    async run(_, context) {
      const { home, isWorkspaceTrusted } = services;
      const place = { workspace: spec.workspace, home, isWorkspaceTrusted };
      const aip = parseAip(text, path);
      for (const { severity, message, line } of aip.diagnostics) {
        if (severity === "warning") warnings.add(`${path}:${line}: ${message}`);
      }
      const { options: defaults, diagnostics } = await readAipDefaults(place);
      for (const { path: file, line, message } of diagnostics)
        warnings.add(`${file}:${line}: ${message}`);
      const pack = packAround(path, place);
      const invocation = {
        name,
        inputs: spec.inputs,
        defaults,
        options: readAipOptions(spec.options).options,
        ...(pack !== undefined && { pack }),
        ...(spec.reportsRedo === true && { reportsRedo: true }),
      };
      try {
        return conclude(await runAip(aip, invocation, createAipPort(session, services, context)));
      } catch (error) {
        session.signal.throwIfAborted();
        if (error instanceof RunFailed) throw error;
        // What a script does wrong reads as it is: it begins with the file and the line.
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
  const said = values.map((value) =>
    typeof value === "string" ? value : JSON.stringify(value, null, 2),
  );
  const text = skipped === undefined ? said.join("\n\n") : `Skipped: ${skipped}`;
  return { text, output: { ...response } };
}
