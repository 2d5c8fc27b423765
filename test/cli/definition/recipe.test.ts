import { describe, expect, it } from "vitest";
import { cadre, createProject } from "../command-line.ts";

const review = `title: Code review
description: "Reviews \\e[31mcode"
prompt: |
  Review {{ target }} for {{ focus }}.
parameters:
  - {key: target, input_type: string, requirement: required, description: what to review}
  - {key: focus, input_type: select, options: [bugs, speed], requirement: optional, default: bugs, description: what for}
`;

describe.concurrent("recipes on the command line", () => {
  it("check lists findings with their places, and exits with 1 at an error", async () => {
    const project = createProject({
      ".goose/recipes/review.yaml": review,
      "bad.yaml": "title: x\ndescription: y\nprompt: '{{ z }}'\n",
    });
    expect(await cadre(project, ["recipe", "check", "review"])).toMatchObject({
      code: 0,
      stdout: "0 errors, 0 warnings\n",
    });
    const bad = await cadre(project, ["recipe", "check", ".goose/recipes", "bad.yaml"]);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(
      /bad\.yaml:3:13 error parameter-undeclared: .*\n1 error, 0 warnings\n$/,
    );
    const json = await cadre(project, ["recipe", "check", "bad.yaml", "--json"]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ errors: 1, warnings: 0 });
  });

  it("show lists the parameters of a recipe, without control characters", async () => {
    const project = createProject({ "review.yaml": review });
    const { code, stdout } = await cadre(project, ["recipe", "show", "review.yaml"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Code review \(review\)\nReviews code\n/);
    expect(stdout).toMatch(/\n {2}target +string +required +- +what to review\n/);
    expect(stdout).toMatch(/\n {2}focus +select: bugs \| speed +optional +"bugs" +what for\n/);
    const json = await cadre(project, ["recipe", "show", "review.yaml", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ recipe: { name: "review" }, diagnostics: [] });
    expect(await cadre(project, ["recipe", "show", "reviw"])).toMatchObject({
      code: 2,
      stdout: "",
    });
  });

  it("run --recipe accepts a file or a name, and reports anything else", async () => {
    const project = createProject({
      ".goose/recipes/greet.yaml": "title: Greet\ndescription: Greets.\nprompt: hello\n",
      "script.yaml": 'scripts: [{ reply: { text: "did {{task}}" } }]',
      "rules.md": "# Rules\n",
    });
    for (const recipe of ["greet", ".goose/recipes/greet.yaml"]) {
      const { code, stdout } = await cadre(project, ["run", "--recipe", recipe, "and", "more"]);
      expect([code, stdout]).toEqual([0, "did hello\n"]);
    }
    const wrong = await cadre(project, ["run", "--recipe", "gret"]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("Did you mean `greet`?");
    const other = await cadre(project, ["run", "--recipe", "rules.md"]);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain("Run other files without --recipe.");
  });

  it("run accepts a file whose sub-recipe has errors, and names them in a warning", async () => {
    const project = createProject({
      "lead.yaml":
        "title: Lead\ndescription: Leads.\nprompt: hello\nsub_recipes: [{name: bad, path: ./bad.yaml}]\n",
      "bad.yaml": "title: x\n",
      "script.yaml": 'scripts: [{ reply: { text: "did {{task}}" } }]',
    });
    const { code, stdout, stderr } = await cadre(project, ["run", "lead.yaml"]);
    expect([code, stdout]).toEqual([0, "did hello\n"]);
    expect(stderr).toContain("The sub-recipe `./bad.yaml` has errors (bad.yaml line 1: Expected");
    const check = await cadre(project, ["recipe", "check", "lead.yaml"]);
    expect(check.code).toBe(1);
    expect(check.stdout).toContain("bad.yaml:1:1 error recipe-empty");
  });

  it("render writes the filled recipe, and lists every invalid value", async () => {
    const project = createProject({ "review.yaml": review });
    const words = ["recipe", "render", "--param", "target=a: b=c", "review.yaml"];
    const filled = await cadre(project, words);
    expect(filled).toMatchObject({ code: 0, stderr: "" });
    expect(filled.stdout).toContain("prompt: |\n  Review a: b=c for bugs.\n");
    expect(filled.stdout).not.toContain("parameters");
    const wrong = await cadre(project, [
      "recipe",
      "render",
      "review.yaml",
      "--param",
      "focus=bgus",
    ]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain("- `target` (string) is missing: what to review\n");
    expect(wrong.stderr).toContain(
      "- `focus`: expected one of `bugs`, `speed` (Did you mean `bugs`?)",
    );
    const usage = await cadre(project, ["recipe", "render", "review.yaml", "--param", "focus"]);
    expect(usage).toMatchObject({ code: 2, stdout: "" });
    expect(usage.stderr).toContain("Expected --param key=value");
  });
});
