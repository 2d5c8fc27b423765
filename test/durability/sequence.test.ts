import { describe, expect, test } from "vitest";
import type { CompletionCall } from "../fixtures/chat-completion.ts";
import { hang, startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";
import { startControlledCadre } from "../fixtures/process/controlled-cadre.ts";

const lead = `
version: 1.0.0
title: Lead
description: Leads
prompt: Lead the work.
sub_recipes:
  - { name: deploy, path: ./deploy.yaml, sequential_when_repeated: true }
`;

const deploy = `
version: 1.0.0
title: Deploy
description: Deploys
prompt: Deploy {{ target }}.
parameters:
  - { key: target, input_type: string, requirement: required, description: what }
`;

const call = (target: string, more: object = {}): CompletionCall => ({
  tool: "Subagent",
  input: { subrecipe: "deploy", parameters: { target }, ...more },
});

describe("runs that must not overlap, killed with SIGKILL and resumed,", () => {
  test("continue with the started one, before one that can be resumed alone", async () => {
    const asked: string[] = [];
    let isKilled = false;
    const server = await startModelServer(({ task, turn }) => {
      if (!task.startsWith("Deploy")) {
        return turn === 0 ? [call("half"), call("queued", { background: true })] : "over";
      }
      const name = task.includes("half") ? "half" : "queued";
      asked.push(`${name} ${turn}`);
      // The started run has a step.
      if (turn === 0) return [{ tool: "LS", input: {} }];
      return isKilled ? "deployed" : hang;
    });
    const project = createModelProject(server);
    project.write(".cadre/recipes/lead.yaml", lead);
    project.write(".cadre/recipes/deploy.yaml", deploy);
    const first = startControlledCadre(project.folder, project.home);
    expect(await first.send("recipe lead")).toHaveProperty("spawned");
    await server.hung(1);
    await first.kill();
    expect(asked).toEqual(["half 0", "half 1"]);
    isKilled = true;
    const second = startControlledCadre(project.folder, project.home);
    expect(await second.send("resume")).toEqual({ resumed: 1 });
    const [end] = Object.values(await second.ends(["Lead the work."]));
    expect(end).toMatchObject({ status: "succeeded", text: "over" });
    expect(asked.slice(2)).toEqual(["half 1", "queued 0", "queued 1"]);
  });
});
