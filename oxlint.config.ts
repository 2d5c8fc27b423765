import { defineConfig, type OxlintConfig } from "oxlint";

/** The floors of the building, lowest first: a folder imports only from floors below its own. */
const floors: string[][] = [
  ["errors", "clock"],
  ["source"],
  ["run"],
  ["agent", "config", "recipe", "aip"],
  ["registry", "model", "tool"],
  ["extension"],
  ["acp-runner"],
  ["engine"],
  ["delegate"],
  ["pipeline"],
  ["runtime"],
  ["index"],
  ["testing", "mcp", "acp", "http"],
  ["cli"],
];
/** What stands on the public API uses nothing under it. */
const api = floors.findIndex((names) => names.includes("index"));

/** What a folder on `floor` must not import: its siblings there and everything above. */
function forbidden(folder: string, floor: number): string[] {
  const above = floors.slice(floor + 1).flat();
  const siblings = (floors[floor] ?? []).filter((name) => name !== folder);
  const inner = floor > api ? floors.slice(0, api).flat() : [];
  return [...above, ...siblings, ...inner].flatMap((name) => [
    `**/${name}/**`,
    `**/../${name}.ts`,
    `./${name}.ts`,
  ]);
}

const layering = floors.flatMap((names, floor) =>
  names.map((folder) => ({
    files: [`src/${folder}/**/*.ts`, `src/${folder}.ts`],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              group: forbidden(folder, floor),
              message: "imports go strictly downward (docs/architecture.md); move the code.",
            },
          ],
        },
      ] as ["error", { patterns: { group: string[]; message: string }[] }],
    },
  })),
);

const config: OxlintConfig = defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "node"],
  options: { typeAware: true, denyWarnings: true },
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  rules: {
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/consistent-type-imports": "error",
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-default-export": "error",
    "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
    "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
    "max-params": ["error", { max: 4 }],
    // tsc's noImplicitReturns and the exhaustive switch say it better.
    "typescript/consistent-return": "off",
    // Objects are closures here, not classes: their methods have no `this` to lose.
    "typescript/unbound-method": "off",
    // JSON enters in many places; each is checked by a schema or a guard before its type is asserted.
    "typescript/no-unsafe-type-assertion": "off",
    "no-await-in-loop": "off",
    "eslint/no-underscore-dangle": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/no-array-reverse": "off",
    "unicorn/consistent-function-scoping": "off",
  },
  overrides: [
    ...layering,
    {
      files: ["*.config.ts", "examples/**", "test/fixtures/**"],
      rules: { "import/no-default-export": "off" },
    },
    {
      files: ["**/*.test.ts"],
      rules: { "max-lines-per-function": "off" },
    },
  ],
  ignorePatterns: ["dist", "node_modules", "bench/node_modules", "coverage"],
});

export default config;
