import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import { createProject } from "../cli/command-line.ts";
import { authorized, send, serveInProcess, token } from "./serve-fixture.ts";

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const script = `scripts:
  - when: { turn: 0 }
    reply:
      calls:
        - { tool: Read, input: { file_path: pixel.png } }
        - { tool: Bash, input: { command: "seq 1 20000; echo '<script>'" } }
  - reply: { text: done }
`;

test("images and long outputs of a run are listed, and returned as they are", async () => {
  const project = createProject({ "script.yaml": script });
  project.environment["CADRE_SERVE_TOKEN"] = token;
  writeFileSync(join(project.path, "pixel.png"), Buffer.from(pixel, "base64"));
  const { url } = await serveInProcess({ project, mode: "auto" });
  const client = createClient({ url, token });
  const task = { agent: "main", task: "look", images: [{ data: pixel }] };
  const { run } = await client.startRun(task);
  expect((await client.readResult(run.id)).result.status).toBe("succeeded");
  const { artifacts } = await client.listArtifacts(run.id);
  expect(artifacts).toMatchObject([
    { kind: "task-image", step: null, mediaType: "image/png", bytes: 70 },
    { kind: "image", step: expect.stringMatching(/^tool\//), mediaType: "image/png", bytes: 70 },
    { kind: "output", step: expect.stringMatching(/^tool\//), mediaType: "text/plain" },
  ]);
  for (const { id, mediaType, bytes } of artifacts) {
    const content = await client.readArtifact(run.id, id);
    expect(content.size).toBe(bytes);
    expect(content.type.split(";")[0]).toBe(mediaType);
    if (mediaType === "image/png") {
      expect(Buffer.from(await content.arrayBuffer()).toString("base64")).toBe(pixel);
    } else {
      expect(await content.text()).toContain("\n19999\n20000\n<script>\n");
    }
  }
  const output = artifacts[2]?.id ?? "";
  const sent = await send(`${url}/api/v1/runs/${run.id}/artifacts/${output}`, {
    headers: authorized,
  });
  expect(sent.headers["x-content-type-options"]).toBe("nosniff");
  expect(sent.headers["content-security-policy"]).toContain("default-src 'none'");

  // No other file of the machine can be reached.
  const folder = join(project.path, "state", "outputs", run.id, run.id);
  mkdirSync(folder, { recursive: true });
  symlinkSync("/etc/passwd", join(folder, "link.txt"));
  const secret = join(project.path, "state", "secret.txt");
  writeFileSync(secret, "secret");
  expect((await client.listArtifacts(run.id)).artifacts).toHaveLength(3);
  const paths = [
    "../../../secret.txt",
    "..%2Fsecret.txt",
    secret,
    "link.txt",
    ".gitignore",
    "a\0b.txt",
  ];
  for (const path of paths) {
    const id = `output.${path}`;
    await expect(client.readArtifact(run.id, id)).rejects.toMatchObject({ status: 400 });
  }
  for (const id of ["image.1.0", "image.0.0", "image.x", "task.9", "task.-1", "none"]) {
    await expect(client.readArtifact(run.id, id)).rejects.toMatchObject({ status: 400 });
  }
  const raw = await send(`${url}/api/v1/runs/${run.id}/artifacts/..%2f..%2f..%2fsecret.txt`, {
    headers: authorized,
  });
  expect([400, 404]).toContain(raw.status);
  expect(raw.body).not.toBe("secret");
});
