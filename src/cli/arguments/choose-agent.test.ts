import { describe, expect, it } from "vitest";
import { createModelProject, type ModelProject } from "../../../test/fixtures/project.ts";
import { chooseAgent, type ChosenAgent } from "./choose-agent.ts";

const recipe = "title: Greet\ndescription: Greets\nprompt: Say hello.\n";
const commands = ["run", "agents", "check", "show"];

function createFixture(): ModelProject {
  const project = createModelProject();
  project.writeAgent("code-reviewer");
  project.writeAgent("reader");
  project.write(".claude/agents/own.md", "---\nname: Code Friend\ndescription: d\n---\nx\n");
  project.write(".cadre/agents/broken.md", "---\nname: broken\ntimeout: never\n---\nx\n");
  project.write(".cadre/agents/renamed.md", "---\nname: other\ndescription: d\n---\nx\n");
  project.write(".cadre/agents/plain.md", "You are plain.\n");
  project.write(".claude/agents/notes.md", "You take notes.\n");
  project.write(".cadre/recipes/greeting.yaml", recipe);
  project.write(".claude/commands/fix.md", "---\ndescription: d\n---\nFix $ARGUMENTS\n");
  project.write("prompt.md", "Say it in one word.\n");
  project.write("prompt.txt", "Say it in one word.\n");
  project.write("NOTES.MARKDOWN", "# Notes\n");
  project.write("LICENSE", "All of it.\n");
  project.write("src/index.ts", "export {};\n");
  return project;
}

async function choose(words: readonly string[]): Promise<ChosenAgent> {
  const project = createFixture();
  return await chooseAgent(await project.open(), words, { cwd: project.folder, commands });
}

describe("the agent for the words of a command", () => {
  const refused: [string, string[], string][] = [
    [
      "nearly an agent, with words after it",
      ["code-reviwer", "src/index.ts"],
      'There is no agent code-reviwer. Did you mean `code-reviewer`? If it is a task: cadre run "code-reviwer src/index.ts"',
    ],
    [
      "an agent in another case",
      ["Reader"],
      "Did you mean `reader`? If it is a task: cadre run --agent main Reader",
    ],
    ["nearly a recipe", ["greting", "x"], "Did you mean `greeting`?"],
    ["nearly a file", ["promtp", "x"], "Did you mean `prompt.md`?"],
    ["a file without its ending", ["prompt"], "Did you mean `prompt.md`?"],
    ["a command", ["Agents"], "Did you mean `cadre agents`?"],
    [
      "nearly a command, with words after it",
      ["chekc", "prompt.md"],
      "Did you mean `cadre check`?",
    ],
    ["a broken agent", ["broken", "x"], "broken.md:3:"],
    ["a broken agent in another case", ["Broken", "x"], "broken.md:3:"],
    ["nearly a broken agent", ["borken"], "Did you mean `broken`?"],
    ["the file of a broken agent", ["renamed", "x"], "renamed.md:2:"],
    ["a file of prose where agents lie", ["plain", "x"], "plain.md:1:"],
    [
      "a file of prose in another program's folder",
      ["notes", "x"],
      "notes.md:1:1 info prose-skipped",
    ],
    ["a command of the project", ["/fix", "12"], "/fix is a command of the project"],
    ["a file of text", ["prompt.txt"], "rename it to prompt.md"],
    ["a file of another ending, and words", ["NOTES.MARKDOWN", "x"], "rename it to NOTES.md"],
    ["a file without an ending", ["LICENSE", "it"], "rename it to LICENSE.md"],
    ["a missing file, and words", ["promt.md", "do", "it"], "Did you mean `prompt.md`?"],
    ["a missing path of any kind", ["src/server.ts", "x"], "there is no file"],
    ["a folder by its path", ["src/", "x"], "a folder"],
    [
      "an agent of an unknown pack, and words",
      ["pro@coder/fix", "a", "b"],
      "no pack with this name",
    ],
    ["quotes and a dollar behind it", ["raeder", '"$x" isn\'t'], `'raeder "$x" isn'\\''t'`],
  ];

  it.each(refused)(
    "is missing for %s, and the error shows how to write a task",
    async (_, words, message) => {
      const refusal = choose(words);
      await expect(refusal).rejects.toThrow(message);
      await expect(refusal).rejects.toThrow("If it is a task: cadre run ");
    },
  );

  const tasks: [string, string[]][] = [
    ["one argument with spaces", ["code-reviwer it all"]],
    ["one argument with spaces that begins with an agent", ["reader rules"]],
    ["an argument with spaces before others", ["read it", "reader"]],
    ["words that are near nothing", ["how", "is", "it"]],
    ["short words", ["a", "b"]],
    ["an address", ["https://example.test/a", "is", "down"]],
    ["a version", ["v1.2", "is", "out"]],
    ["a folder's name", ["src", "is", "empty"]],
    ["nothing", []],
  ];

  it.each(tasks)("is main for %s", async (_, words) => {
    expect(await choose(words)).toEqual({ agent: "main", words });
  });

  it("is the one named by the first word", async () => {
    expect(await choose(["reader", "a", "book"])).toEqual({
      agent: "reader",
      words: ["a", "book"],
    });
  });

  it("is one whose name has spaces when a task follows it", async () => {
    expect(await choose(["Code Friend", "help me"])).toEqual({
      agent: "Code Friend",
      words: ["help me"],
    });
  });
});
