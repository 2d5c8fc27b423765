import { exitCodeOf } from "../error/exit-code.ts";
import { describeError } from "../error/report-error.ts";
import { findConversation } from "../run/continue-run.ts";
import { openCadre } from "../run/open-cadre.ts";
import { saveRule } from "../run/save-rule.ts";
import { createForms } from "../terminal/answer-form.ts";
import { createParameterQuestions } from "../terminal/ask-parameter.ts";
import { listenForInterrupts } from "../terminal/interrupts.ts";
import { writeError } from "../terminal/output.ts";
import { createQuestions } from "../terminal/question.ts";
import { shortRunId } from "../../short-run-id.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { ChatRequest } from "./chat-request.ts";
import { createChatCommands } from "./chat-commands.ts";
import { type Conversation, createConversation } from "./conversation.ts";
import { createChatHistory } from "./history.ts";
import { type ChatKeys, createKeys } from "./screen/chat-keys.ts";
import { captureOutput } from "./screen/capture-output.ts";
import { type ChatScreen, createChatScreen } from "./screen/chat-screen.ts";
import { createCompletion } from "./screen/complete.ts";
import type { Theme } from "./screen/theme.ts";
import type { ChatWindow } from "./screen/window.ts";
import { type Cadre, type CadreOptions, killAllProcesses, walkFiles } from "../../host.ts";

/** A conversation and the screen for it. */
export interface TalkPlace {
  request: ChatRequest;
  window: ChatWindow;
  theme: Theme;
  setKeys: (keys: ChatKeys) => void;
}

/** Opens Cadre, and talks until the user ends it. Returns the exit code of the last turn. */
export async function talk({ request, window, theme, setKeys }: TalkPlace): Promise<number> {
  const ending = Promise.withResolvers<void>();
  const screen = createChatScreen({ window, theme, onInterrupt: () => void interrupt() });
  const stopCapture = captureOutput(screen.note);
  const interrupts = listenForInterrupts({
    onFirst: () => ending.resolve(),
    onSecond() {
      killAllProcesses();
      process.exit(1);
    },
  });
  let cadre: Cadre | undefined;
  let conversation: Conversation | undefined;
  const interrupt = async (): Promise<void> => await conversation?.interrupt();
  try {
    cadre = await openCadre({ ...request.options, ...askOn(screen) });
    conversation = createConversation(cadre, screen.listener);
    Object.assign(conversation.settings, omitUndefined({ agent: request.agent }));
    screen.begin(cadre, conversation);
    const keys = createKeys({ screen, conversation, window, quit: ending.resolve });
    setKeys(keys);
    await prepareInput({ cadre, conversation, screen, window, quit: ending.resolve });
    if (request.continue !== undefined) {
      await screen.resume((await findConversation(cadre, request.continue)).id);
    }
    await ending.promise;
    return screen.lastStatus === undefined ? 0 : exitCodeOf(screen.lastStatus);
  } finally {
    stopCapture();
    interrupts.stop();
    window.close();
    await endTalk(cadre, conversation);
  }
}

/** Leaves a turn that is at work to be taken up again, and says how to go on. */
async function endTalk(
  cadre: Cadre | undefined,
  conversation: Conversation | undefined,
): Promise<void> {
  const last = conversation?.last;
  const isAtWork = conversation?.active !== undefined;
  await cadre?.close({ leaveRuns: true });
  if (last === undefined) return;
  const unfinished = isAtWork ? " The turn is unfinished, and continues then." : "";
  writeError(`Go on with: cadre chat --continue=${shortRunId(last.id)}${unfinished}`);
}

/** Questions appear on the screen, unless they wait for answers from elsewhere. */
function askOn(screen: ChatScreen): CadreOptions {
  const { terminal } = screen.questions;
  return {
    onApproval: createQuestions({ terminal, rootOf: screen.rootOf, saveRule }),
    onElicit: createForms(terminal),
    onParameter: createParameterQuestions(terminal),
  };
}

interface InputPlace {
  cadre: Cadre;
  conversation: Conversation;
  screen: ChatScreen;
  window: ChatWindow;
  quit: () => void;
}

/** Gives the input its history, its proposals, and what Enter does. */
async function prepareInput({
  cadre,
  conversation,
  screen,
  window,
  quit,
}: InputPlace): Promise<void> {
  const { editor } = window;
  const { note, resume, clear } = screen;
  const place = { cadre, conversation, note, resume, clear, quit };
  const commands = createChatCommands(cadre);
  const history = createChatHistory(cadre.stateFolder);
  const fail = (error: unknown): void => screen.note(describeError(error).message, "red");

  async function submit(text: string): Promise<void> {
    editor.addToHistory(text);
    await history.add(text);
    const [, name, argument = ""] = /^\/([a-z]+)(?:\s+([^]*))?$/.exec(text) ?? [];
    if (name === undefined) return await screen.say(text);
    const command = commands.find((one) => one.name === name);
    if (command === undefined) return note(`There is no /${name}. /help lists the commands.`);
    await command.run(place, argument.trim());
  }

  editor.onSubmit = (text) => {
    if (text.trim() !== "") submit(text.trim()).catch(fail);
  };
  editor.setAutocompleteProvider(
    createCompletion({
      folder: process.cwd(),
      commands,
      agents: async () => (await cadre.agents()).agents.map(({ name }) => name),
      files: async () => (await walkFiles(process.cwd(), AbortSignal.timeout(5000))).paths,
    }),
  );
  for (const text of await history.read()) editor.addToHistory(text);
}
