import { defineConfig, type OxlintConfig } from "oxlint";

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
    {
      files: ["*.config.ts", "examples/**", "test/fixtures/**"],
      rules: { "import/no-default-export": "off" },
    },
    {
      files: ["**/*.test.ts"],
      rules: { "max-lines-per-function": "off" },
    },
  ],
  ignorePatterns: ["dist", "node_modules", "coverage"],
});

export default config;
