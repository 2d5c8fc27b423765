import { expect, it } from "vitest";
import { createProject } from "../../cli/command-line.ts";
import { start } from "../../cli/start-command.ts";

it("the build includes the libraries of scripts, even if the packages that the sources import are not installed", async () => {
  const script = [
    'local yaml = aip.yaml.parse("a: 1")[1].a',
    'local toml = aip.toml.parse("a = 2").a',
    'local text = aip.hbs.render("{{a}}", { a = 3 })',
    'return yaml .. toml .. text .. aip.hash.blake3("").. aip.html.to_md("<b>4</b>")',
  ].join("\n");
  const project = createProject({ "all.aip": `# Output\n\n\`\`\`lua\n${script}\n\`\`\`\n` });
  const { code, stdout } = await start(project, ["run", "all.aip", "--trust", "-i", "x"]).ended;
  const hash = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
  expect([stdout, code]).toEqual([`123${hash}**4**\n`, 0]);
});
