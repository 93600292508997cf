// Groups: a name each.

import { start } from "./records/page.js";

start();
