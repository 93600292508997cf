// Who is signed in, asked for once.

import { get } from "../api.js";

let asked;

export const me = () => (asked ??= get("/users/me/"));
