// A conversation on the terminal, in a real pseudo-terminal.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentFile, cadre, type Project } from "../../cli/command-line.ts";
import { ctrl, escape } from "../../cli/keys.ts";
import { openTerminal } from "../../cli/live-terminal.ts";
import { createChatProject } from "./chat-project.ts";
import { png } from "./png.ts";

const project = (): Project => createChatProject({ workMs: 8000 });

describe.concurrent("the conversation on the screen", () => {
  it("shows what is said, continues turn by turn, and says how to continue later", async () => {
    const fixture = project();
    const terminal = openTerminal(fixture, []);
    await terminal.shows("main · /help");
    terminal.type("hello\r");
    await terminal.shows("heard you");
    terminal.type("markdown please\r");
    await terminal.shows("✻ let me think");
    await terminal.shows("some bold text");
    expect(terminal.lines()).toContain("- item");
    terminal.type(ctrl("o"));
    await terminal.shows("✻ let me think", "gone");
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
    const shown = terminal.lines().join("\n");
    expect(shown).toContain("> hello");
    expect(shown).toContain("Continue with: cadre chat --continue=");
    const { stdout } = await cadre(fixture, ["conversations", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ conversations: [{ turns: 2 }] });
  });

  it("continues a conversation, and shows its earlier turns", async () => {
    const fixture = project();
    await cadre(fixture, ["run", "my first words"]);
    const terminal = openTerminal(fixture, ["chat", "--continue"]);
    await terminal.shows("> my first words");
    await terminal.shows("heard you");
    await terminal.shows("main · /help · mode ask · $0");
    terminal.type("more\r");
    await terminal.shows(/> more\s+heard you/);
    terminal.type("/tree\r");
    await terminal.shows(/^✓ main  heard you/m);
    terminal.type("/cost\r");
    await terminal.shows("All 2 turns");
    terminal.type("/clear\r");
    await terminal.shows("mode ask · $0", "gone");
    terminal.type(ctrl("d"));
    expect(await terminal.ended).toBe(0);
  });

  it("asks before an edit, with the change, and does not take what is being typed for an answer", async () => {
    const fixture = project();
    fixture.environment["TERM_PROGRAM"] = "iTerm.app";
    const terminal = openTerminal(fixture, ["chat", "--mode", "ask"]);
    await terminal.shows("main · /help");
    terminal.type("write it\r");
    await terminal.shows("main asks to use Write:");
    await terminal.shows("allow? [y/a/p/n/r/v]");
    expect(terminal.lines()).toContain("  │ +two");
    expect(terminal.bells()).toBe(1);
    expect(terminal.notifications()).toEqual(["Cadre waits for your answer"]);
    terminal.type("r");
    await terminal.shows("reason:");
    terminal.type("not now\r");
    await terminal.shows("Write note.txt: denied: not now");
    expect(existsSync(join(fixture.path, "note.txt"))).toBe(false);
    terminal.type("write it\r");
    await terminal.shows("allow? [y/a/p/n/r/v]");
    terminal.type("y");
    await terminal.shows("Write note.txt: allowed (once)");
    await terminal.shows("✓ Write note.txt");
    expect(readFileSync(join(fixture.path, "note.txt"), "utf8")).toBe("one\ntwo\n");
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
  });

  it("shows the tree, and the conversation of a selected agent, which one can talk to", async () => {
    const terminal = openTerminal(project(), ["chat"]);
    await terminal.shows("main · /help");
    terminal.type("delegate\r");
    await terminal.shows("worker (count the files)");
    await terminal.shows("worker (name the folders)");
    await terminal.shows("3 runs,");
    terminal.type(ctrl("t"));
    await terminal.shows("Enter opens");
    terminal.type(`${escape}[B`);
    await terminal.shows(/> ├─ . worker \(count the files\)/);
    terminal.type("\r");
    await terminal.shows("What you type goes to this agent.");
    await terminal.shows("✓ LS .");
    terminal.type("say hi\r");
    await terminal.shows("sent: say hi");
    terminal.type(escape);
    await terminal.shows("I ask two workers.");
    await terminal.shows("✓ Agent worker: name the folders");
    terminal.type("/tree\r");
    await terminal.shows("├─ ✓ worker (count the files)");
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
  });

  it("shows an agent in the colour of its definition", async () => {
    const fixture = project();
    fixture.write(
      ".cadre/agents/worker.md",
      agentFile("worker").replace("name:", "color: red\nname:"),
    );
    const terminal = openTerminal(fixture, ["chat"]);
    await terminal.shows("main · /help");
    terminal.type("delegate\r");
    await terminal.shows("worker (count the files)");
    const red = 1;
    await expect.poll(() => terminal.colorOf("worker (count the files)")).toBe(red);
    terminal.type(ctrl("c"));
    await terminal.shows("cancelled.");
    terminal.type("/quit\r");
    await terminal.ended;
  });

  it("cancels a selected agent", async () => {
    const terminal = openTerminal(project(), ["chat"]);
    await terminal.shows("main · /help");
    terminal.type("delegate\r");
    await terminal.shows("worker (name the folders)");
    terminal.type(ctrl("t"));
    await terminal.shows("Enter opens");
    terminal.type(`${escape}[B${escape}[B`);
    await terminal.shows(/> └─ . worker \(name the folders\)/);
    terminal.type("x");
    await terminal.shows(/└─ ■ worker \(name the folders\)/);
    terminal.type(escape);
    await terminal.shows("Enter opens", "gone");
    // The other worker is busy for seconds.
    terminal.type(ctrl("c"));
    await terminal.shows("cancelled.");
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(130);
  });

  it("interrupts a turn with Esc; what was typed during the turn is said next", async () => {
    const fixture = project();
    const terminal = openTerminal(fixture, ["chat", "--mode", "auto", "--sandbox", "off"]);
    await terminal.shows("main · /help");
    terminal.type("hang\r");
    await terminal.shows("● Bash sleep 60");
    terminal.type("are you there?\r");
    await terminal.shows("waiting: are you there?");
    terminal.type(escape);
    await terminal.shows(/> are you there\?\s+heard you/);
    const lines = terminal.lines();
    expect(lines.filter((line) => line.includes("are you there?"))).toHaveLength(1);
    const question = lines.indexOf("> are you there?");
    expect(lines.slice(question - 1, question + 3)).toEqual(["", lines[question], "", "heard you"]);
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
    const { stdout } = await cadre(fixture, ["runs", "--json"]);
    const { runs } = JSON.parse(stdout) as { runs: { id: string; status: string }[] };
    expect(runs.map(({ status }) => status)).toEqual(["succeeded", "cancelled"]);
    const [, interrupted] = runs;
    const { stdout: shown } = await cadre(fixture, ["show", interrupted?.id ?? ""]);
    expect(shown).not.toContain("DELIVERED");
  });

  it("continues a killed turn where it stopped", async () => {
    const fixture = project();
    const killed = openTerminal(fixture, ["chat"]);
    await killed.shows("main · /help");
    killed.type("delegate\r");
    await killed.shows("3 runs,");
    killed.kill();
    await killed.ended;
    const terminal = openTerminal(fixture, ["chat", "--continue"]);
    await terminal.shows("> delegate");
    await terminal.shows("✓ Agent worker: name the folders");
    await terminal.shows("main · /help");
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
    const { stdout } = await cadre(fixture, ["runs", "--all", "--json"]);
    expect((JSON.parse(stdout) as { runs: unknown[] }).runs).toHaveLength(3);
  });

  it("refuses a conversation that another terminal is talking in", async () => {
    const fixture = project();
    const first = openTerminal(fixture, ["chat", "--mode", "auto", "--sandbox", "off"]);
    await first.shows("main · /help");
    first.type("hang\r");
    await first.shows("● Bash sleep 60");
    const second = openTerminal(fixture, ["chat", "--continue"]);
    await second.shows(/is executed by|another process|process \d+/);
    second.type("/quit\r");
    await second.ended;
    first.type(escape);
    await first.shows("cancelled.");
    first.type("/quit\r");
    expect(await first.ended).toBe(130);
  });

  it("sends the images that a text names, and offers what was typed before again", async () => {
    const fixture = project();
    writeFileSync(join(fixture.path, "dot.png"), png);
    const terminal = openTerminal(fixture, ["chat"]);
    await terminal.shows("main · /help");
    terminal.type("what is on @dot.png ?\r");
    await terminal.shows("heard you");
    terminal.type("/quit\r");
    await terminal.ended;
    const { stdout } = await cadre(fixture, ["show", "last", "--json"]);
    expect((JSON.parse(stdout) as { spec: object }).spec).toMatchObject({
      images: [{ mediaType: "image/png" }],
    });
    const again = openTerminal(fixture, ["chat"]);
    await again.shows("main · /help");
    again.type(`${escape}[A${escape}[A`);
    await again.shows("what is on @dot.png ?");
    again.type(ctrl("c") + ctrl("d"));
    expect(await again.ended).toBe(0);
  });

  it("sends an image whose path is pasted, as a terminal does for a file that is dropped on it", async () => {
    const fixture = project();
    const path = join(fixture.home, "my picture.png");
    writeFileSync(path, png);
    const terminal = openTerminal(fixture, ["chat"], { columns: 200 });
    await terminal.shows("main · /help");
    terminal.type(`what is on ${escape}[200~'${path}'${escape}[201~?\r`);
    await terminal.shows(`> what is on @"${path}" ?`);
    await terminal.shows("heard you");
    terminal.type("/quit\r");
    await terminal.ended;
    const { stdout } = await cadre(fixture, ["show", "last", "--json"]);
    expect((JSON.parse(stdout) as { spec: object }).spec).toMatchObject({
      images: [{ mediaType: "image/png" }],
    });
  });

  it("leaves a turn to be taken up when it ends in the middle, and when the terminal is closed", async () => {
    const fixture = project();
    const words = ["--mode", "auto", "--sandbox", "off"];
    const terminal = openTerminal(fixture, ["chat", ...words]);
    await terminal.shows("main · /help");
    terminal.type("hang\r");
    await terminal.shows("● Bash sleep 60");
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(0);
    await terminal.shows("The turn is unfinished, and continues then.");
    const again = openTerminal(fixture, ["chat", "--continue", ...words]);
    await again.shows("heard you");
    again.type("hang\r");
    await again.shows("● Bash sleep 60");
    again.close();
    await again.ended;
    const { stdout } = await cadre(fixture, ["runs", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      runs: [{ result: null }, { result: { text: "heard you" } }],
    });
  });

  it("proposes commands, agents and files", async () => {
    const fixture = project();
    writeFileSync(join(fixture.path, "unusual.txt"), "");
    const terminal = openTerminal(fixture, ["chat"]);
    await terminal.shows("main · /help");
    terminal.type("/ag");
    await terminal.shows("switch to another agent");
    terminal.type(`${ctrl("c")}look at @unus`);
    await terminal.shows("→ unusual.txt");
    terminal.type("\t");
    await terminal.shows("look at @unusual.txt");
    terminal.type(`${ctrl("c")}/agent nobody\r`);
    await terminal.shows("Expected /agent NAME with one of");
    terminal.type("/agent worker\r");
    await terminal.shows("worker · /help");
    terminal.type("/nothing\r");
    await terminal.shows("There is no /nothing. /help lists the commands.");
    terminal.type("/modle\r");
    await terminal.shows("There is no /modle. Did you mean /model? /help lists the commands.");
    terminal.type("/exit\r");
    expect(await terminal.ended).toBe(0);
  });

  it("takes a paste of 5 MB, survives another size, and cleans what an agent says", async () => {
    const terminal = openTerminal(project(), ["chat"]);
    await terminal.shows("main · /help");
    terminal.type("evil\r");
    await terminal.shows("before  after");
    terminal.resize(20, 60);
    await terminal.shows("before  after");
    expect(terminal.lines().filter((line) => line.startsWith("───"))).toHaveLength(2);
    const line = `${"x".repeat(99)}\n`;
    terminal.type(`${escape}[200~${line.repeat(50_000)}${escape}[201~`);
    await terminal.shows("[paste #1 +50001 lines]");
    terminal.type("\r");
    await terminal.shows("The request is too long");
    terminal.type("/quit\r");
    expect(await terminal.ended).toBe(1);
  });
});
