// Pipelines: an ordered list of processors, nothing else.

import { start } from "./records/page.js";

start();
