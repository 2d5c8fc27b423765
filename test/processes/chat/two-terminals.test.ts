import { escape } from "../../cli/keys.ts";
import { describe, expect, it } from "vitest";
import { cadre, createProject } from "../../cli/command-line.ts";
import { type LiveTerminal, openTerminal } from "../../cli/live-terminal.ts";

const script = `
scripts:
  - when: { last: hang }
    reply: { calls: [{ tool: Bash, input: { command: sleep 60 } }] }
  - reply: { text: "heard: {{last}}" }
`;
const words = ["chat", "--continue", "--mode", "auto", "--sandbox", "off"];

async function send(terminal: LiveTerminal, text: string): Promise<void> {
  terminal.type(`${text}\r`);
  await terminal.shows(`heard: ${text}`);
}

describe("two terminals on one conversation", () => {
  it("show the turns of each other before their next one, and keep a text that is refused", async () => {
    const project = createProject({ "script.yaml": script });
    await cadre(project, ["run", "zero"]);
    const [one, two] = [openTerminal(project, words), openTerminal(project, words)];
    await Promise.all([one.shows("main · /help"), two.shows("main · /help")]);
    await send(one, "first");
    await send(two, "second");
    await two.shows(/Turns from another terminal:\s+> first\s+heard: first\s+> second/);
    await send(two, "third");
    await send(one, "fourth");
    await one.shows(/> second\s+heard: second\s+> third\s+heard: third\s+> fourth/);
    one.type("hang\r");
    await one.shows("● Bash sleep 60");
    two.type("meanwhile\r");
    await two.shows(/is active \(running\)/);
    await two.shows(/^meanwhile$/m);
    one.type(escape);
    await one.shows("cancelled.");
    two.type("\r");
    await two.shows("heard: meanwhile");
    for (const terminal of [one, two]) terminal.type("/quit\r");
    await Promise.all([one.ended, two.ended]);
    const { stdout } = await cadre(project, ["conversations", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ conversations: [{ turns: 7 }] });
  });
});
