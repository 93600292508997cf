// Groups page.

import { start } from "./records/page.js";

start();
