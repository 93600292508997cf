// The initials of sources are those of `initials` in crates/server/src/ui/search/sources.rs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { initials } from "../../../web/static/js/initials.js";

test("initials of names", () => {
  const names = { "Library - Riverbend": "LR", tickets: "T", "Department 17 - x": "D17", "Department 1805": "D18", "états généraux": "ÉG", "(42)": "42", "–": "", "": "" };
  for (const [name, expected] of Object.entries(names)) assert.equal(initials(name), expected, name);
});
