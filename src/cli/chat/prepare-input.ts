import { homedir } from "node:os";
import { findConversation } from "../run/continue-run.ts";
import type { ChatCommandContext } from "./dialog/chat-command.ts";
import { createChatCommands, namesOf } from "./dialog/chat-commands.ts";
import type { ChatConversation } from "./dialog/chat-conversation.ts";
import { createChatHistory } from "./dialog/history.ts";
import { fillTypedCommand } from "./dialog/typed-command.ts";
import type { ChatScreen } from "./screen/chat-screen.ts";
import { createCompletion } from "./screen/complete.ts";
import { readCost } from "./screen/read-cost.ts";
import type { ChatWindow } from "./screen/window.ts";
import {
  type Cadre,
  createTrust,
  findProjectRoot,
  readCommandLine,
  walkFiles,
  type PermissionMode,
} from "../../host.ts";

/** How to open Cadre again for the same conversation. */
export interface Reopening {
  /** Default: the current mode. */
  mode?: PermissionMode;
}

/** The conversation and screen of an input. */
export interface InputContext {
  cadre: Cadre;
  conversation: ChatConversation;
  screen: ChatScreen;
  window: ChatWindow;
  quit: () => void;
  reopen: (how: Reopening) => void;
}

/** The time limit of a search for files, in milliseconds. */
const searchMs = 5000;

/**
 * Gives the input its history, its proposals and its handler of Enter, which takes effect after `window.acceptTexts`. Returns the
 * services of commands.
 */
export async function prepareInput(context: InputContext): Promise<ChatCommandContext> {
  const { cadre, screen, window } = context;
  const { editor, follow } = window;
  const { fail } = screen.views;
  const on = createCommandContext(context);
  const commands = createChatCommands(cadre);
  const history = createChatHistory(cadre.stateFolder);

  async function submit(text: string): Promise<void> {
    follow();
    editor.addToHistory(text);
    await history.add(text);
    const line = readCommandLine(text);
    const command = commands.find((one) => one.name === line?.name);
    if (command === undefined) return await sendText(context, text);
    await command.run(on, line?.argument ?? "");
  }

  editor.onSubmit = (text) => {
    if (text.trim() !== "") submit(text.trim()).catch(fail);
  };
  editor.setAutocompleteProvider(
    createCompletion({
      folder: process.cwd(),
      commands,
      ofProject: async () => (await cadre.commands.list({ taken: namesOf(commands) })).commands,
      agents: async () => (await cadre.agents()).agents.map(({ name }) => name),
      files: async () => (await walkFiles(process.cwd(), AbortSignal.timeout(searchMs))).paths,
    }),
  );
  for (const text of await history.read()) editor.addToHistory(text);
  return on;
}

/** Suggests the command nearest to a name that no command has. */
async function adviseCommand(cadre: Cadre, name: string): Promise<string> {
  const { nearestName } = await import("../../host.ts");
  const own = namesOf(createChatCommands(cadre));
  const found = await cadre.commands.list({ taken: own });
  const near = nearestName(name, [...own, ...found.commands.map((command) => command.name)]);
  return `${near === null ? "" : `Did you mean /${near}? `}/help lists the commands.`;
}

/** Sends the text to the agent whose conversation is shown, or begins a turn with a project command. */
async function sendText(
  { cadre, conversation, screen }: InputContext,
  text: string,
): Promise<void> {
  const { child, note } = screen.views;
  const filled = await fillTypedCommand(
    cadre,
    text,
    async (name) => await adviseCommand(cadre, name),
  );
  if (filled === undefined) {
    const view = child();
    return await (view === undefined ? conversation.send(text) : view.send(text));
  }
  const [typed = text] = text.split(/\s/, 1);
  if (child() !== undefined)
    return note(`Expected ${typed} in the conversation of the main agent.`);
  if (conversation.isBusy) return note(`Expected ${typed} between two turns.`);
  for (const one of filled.notes) note(one, "yellow");
  await conversation.execute(filled, text);
}

function createCommandContext(context: InputContext): ChatCommandContext {
  const { cadre, conversation, screen, quit, reopen } = context;
  const { views, state } = screen;
  return {
    cadre,
    conversation,
    quit,
    changeMode: (mode) => reopen({ mode }),
    trust() {
      const home = homedir();
      const trust = createTrust({ home, environment: process.env });
      trust.trust(findProjectRoot({ cwd: process.cwd(), home }));
      reopen({});
    },
    note: views.note,
    async resume(named) {
      const run = await findConversation(cadre, named);
      await views.change(cadre, run);
      state.setFacts({ cost: await readCost(cadre, run.id) });
      state.setAgent(conversation.settings.agent ?? (await run.state()).agent);
      // The turn may take long.
      void conversation.open(run).catch(views.fail);
    },
    async clear() {
      conversation.clear();
      await views.change(cadre, undefined);
      state.setFacts({ cost: "" });
    },
    setAgent(name) {
      conversation.settings.agent = name;
      state.setAgent(name);
    },
    setModel(reference) {
      conversation.settings.model = reference;
      state.setFacts({ model: reference });
    },
  };
}
