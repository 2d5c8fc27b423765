import type { ChatCommand, ChatCommandContext } from "./chat-command.ts";
import { nothingYet } from "./chat-command.ts";
import { parseRaise } from "../../arguments/parse-budget.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { shortRunId } from "../../../short-run-id.ts";
import {
  type Cadre,
  checkReference,
  describeRaise,
  offerModels,
  permissionModes,
} from "../../../host.ts";

/** Creates the commands about the next turn and the active turn; `cadre` lists the values of their arguments. */
export function createTurnCommands(cadre: Pick<Cadre, "agents" | "configuration">): ChatCommand[] {
  return [
    { name: "agents", summary: "list the agents", run: listAgents },
    {
      name: "agent",
      summary: "switch to another agent from the next turn",
      argument: "NAME",
      complete: async () =>
        (await cadre.agents()).agents.map(({ name, description }) => ({
          value: name,
          description: cleanLine(description ?? ""),
        })),
      run: chooseAgent,
    },
    {
      name: "model",
      summary: "switch to another model from the next turn",
      argument: "MODEL",
      complete: async () =>
        offerModels(cadre.configuration.config.models.aliases, process.env).map(
          ({ alias, model }) => ({ value: alias, description: model }),
        ),
      run: chooseModel,
    },
    {
      name: "mode",
      summary: "open the project again with another permission mode",
      argument: "MODE",
      complete: async () => permissionModes.map((value) => ({ value })),
      run: chooseMode,
    },
    {
      name: "raise",
      summary: "give an active agent more time or budget",
      argument: "RUN AMOUNTS",
      run: raise,
    },
    { name: "compact", summary: "shorten the conversation before the next turn", run: compact },
  ];
}

async function listAgents({ cadre, note }: ChatCommandContext): Promise<void> {
  const { agents } = await cadre.agents();
  note(
    agents.map(({ name, description }) => `${name}  ${cleanLine(description ?? "")}`).join("\n"),
  );
}

async function chooseAgent(context: ChatCommandContext, name: string): Promise<void> {
  const { cadre, setAgent, note } = context;
  const { agents } = await cadre.agents();
  if (!agents.some((agent) => agent.name === name)) {
    const known = agents.map((agent) => agent.name).join(", ");
    return note(`Expected /agent NAME with one of ${known}; got ${JSON.stringify(name)}.`);
  }
  setAgent(name);
  note(`The next turn is with ${name}.`);
}

function chooseModel({ cadre, setModel, note }: ChatCommandContext, model: string): void {
  if (model === "") return note("Expected /model MODEL, such as /model sonnet.");
  checkReference(model, cadre.configuration.config.models);
  setModel(model);
  note(`The next turn uses ${model}.`);
}

function chooseMode({ conversation, note, changeMode }: ChatCommandContext, given: string): void {
  const mode = permissionModes.find((one) => one === given);
  if (mode === undefined) {
    return note(`Expected /mode ${permissionModes.join(" | ")}; got ${JSON.stringify(given)}.`);
  }
  if (conversation.active !== undefined) return note("Expected /mode between two turns.");
  changeMode(mode);
}

async function raise({ cadre, note }: ChatCommandContext, argument: string): Promise<void> {
  const [name = "", ...amounts] = argument.split(/\s+/);
  const limits = parseRaise(amounts.join(" "));
  const run = await cadre.find(name);
  await run.raise(limits);
  note(`${shortRunId(run.id)} gets ${describeRaise(limits)}.`);
}

function compact({ conversation, note }: ChatCommandContext): void {
  if (conversation.last === undefined) return note(nothingYet);
  conversation.settings.compact = true;
  note("The next turn shortens the conversation to about half: old results go first.");
}
