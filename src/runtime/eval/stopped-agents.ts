import type { AgentDefinition } from "../../agent/definition/agent.ts";
import type { LoadedCase } from "../../eval/eval-file.ts";
import type { Hooks } from "../../engine/hook/hooks.ts";
import type { LibraryAgent } from "../library-agent.ts";
import type { Cadre, CadreOptions } from "../cadre.ts";

const defaultResult = "Done. The task is complete, and nothing remains to be done.";

/**
 * Returns the options of a Cadre that stops delegations: a program that returns a fixed result replaces each agent except those
 * under test. `findCase` returns the case of a trial's run, and `open` the Cadre itself.
 */
export function stopDelegations(
  agents: readonly AgentDefinition[],
  cases: readonly LoadedCase[],
  open: () => Cadre,
  findCase: (label: string | null) => LoadedCase | undefined,
): Pick<CadreOptions, "agents" | "hooks"> {
  const tested = new Set(cases.map(({ agent }) => agent));
  const standIns = agents
    .filter(({ name }) => !tested.has(name))
    .map(({ name, description }): LibraryAgent => ({
      name,
      description,
      async run(_, { runId }) {
        const cadre = open();
        const { rootId } = await (await cadre.find(runId)).state();
        const { label } = await (await cadre.find(rootId)).state();
        return findCase(label)?.results?.[name] ?? defaultResult;
      },
    }));
  const names = new Set(standIns.map(({ name }) => name));
  const guard: Hooks = {
    name: "eval",
    beforeDelegation: ({ agent, parent }) =>
      parent === null || names.has(agent)
        ? undefined
        : { deny: `the eval executes no sub-agents, and has no stand-in for ${agent}` },
  };
  return { agents: standIns, hooks: [guard] };
}
