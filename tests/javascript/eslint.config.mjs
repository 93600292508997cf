// Rules for all JavaScript of the repository, which scripts/checks.sh applies at its root.

import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["**/target/", "**/node_modules/"] },
  { files: ["**/*.js", "**/*.mjs"], ...js.configs.recommended },
  {
    files: ["web/static/js/**/*.js"],
    languageOptions: { globals: globals.browser },
    rules: { "no-console": ["error", { allow: ["warn", "error"] }], "no-script-url": "error" },
  },
  {
    // Tests of pages have functions that run in the browser.
    files: ["tests/**/*.mjs", "scripts/**/*.mjs"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
  {
    rules: {
      "array-callback-return": "error",
      eqeqeq: "error",
      "no-constructor-return": "error",
      "no-duplicate-imports": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-self-compare": "error",
      "no-template-curly-in-string": "error",
      "no-throw-literal": "error",
      "no-unmodified-loop-condition": "error",
      "no-unreachable-loop": "error",
      "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
